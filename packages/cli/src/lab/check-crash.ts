import type { LossWindow, Verdict } from "@jbdlab/core-wasm";
import type { RunOptions } from "./options.js";
import { run } from "./run.js";

/** What the crash oracle says of a world. */
export interface CrashReport {
  readonly verdict: Verdict;
  /** Distinct durable states that were judged: each is a moment at which the power may be cut. */
  readonly durableStatesJudged: number;
  readonly lossWindows: number;
  readonly lossWindowSeconds: number;
  /** The first 64 loss windows. */
  readonly lossWindowList: readonly LossWindow[];
  /** Why, when the verdict is "violates-write-ahead". */
  readonly violation: string;
  readonly replay: string;
}

/** Runs a world and tells what a power cut at any moment would lose. Throws as `run` does. */
export async function checkCrash(options: RunOptions = {}): Promise<CrashReport> {
  const result = await run(options);
  const { verdict, durableStatesJudged, lossWindows, lossWindowSeconds } = result;
  const { lossWindowList, violation, replay } = result;
  const windows = { lossWindows, lossWindowSeconds, lossWindowList };
  return { verdict, durableStatesJudged, ...windows, violation, replay };
}
