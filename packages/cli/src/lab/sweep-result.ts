import type { Cell } from "./cells.js";
import type { Fact } from "./provenance.js";

/** A run of a sweep that ended with an error. */
export interface Failure {
  readonly message: string;
  /** The command that repeats it. */
  readonly replay: string;
  /** True when the error blames what the user gave. */
  readonly badInput: boolean;
}

/**
 * What a sweep tells. Everything but `wallMs` is the same for the same settings, on any number of
 * workers.
 */
export interface SweepResult {
  /** Version of jbdlab that made it. */
  readonly version: string;
  /** False when it was interrupted or a run failed. */
  readonly complete: boolean;
  /** The command that repeats the sweep. */
  readonly replay: string;
  readonly base: string;
  readonly rows: readonly string[];
  readonly journals: readonly number[];
  readonly seeds: readonly number[];
  readonly workload: string;
  readonly device: string;
  readonly setting: string;
  /** Every figure of the first world and where it comes from. */
  readonly provenance: Readonly<Record<string, Fact<unknown>>>;
  /** How often each run was to fill the log; null when the workload's text fixes its work. */
  readonly wraps: number | null;
  readonly unit: "files/s" | "handles/s";
  readonly runsWanted: number;
  readonly runsDone: number;
  readonly cells: readonly Cell[];
  /** What the workload says it read of its file ("consumed 2 of 2 transactions"). */
  readonly consumed?: string;
  readonly failures: readonly Failure[];
  readonly wallMs: number;
}
