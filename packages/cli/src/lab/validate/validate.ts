import type { Verdict } from "@jbdlab/core-wasm";
import type { RunOptions } from "../options.js";
import { Progress, type ProgressReport } from "../progress.js";
import { type RunResult, worstVerdict } from "../result.js";
import { significant } from "../statistics.js";
import type { Failure } from "../sweep-result.js";
import {
  type Figures,
  meanFigures,
  measuredFigures,
  measuredFsync,
  percentOff,
  type Ranges,
  rangesOf,
  simulatedFigures,
  simulatedFsync,
} from "./figures.js";
import { modeNamed } from "./modes.js";
import type { FsyncRun, KernelRun, ReferenceRun } from "./reference.js";

/** How far a simulated figure may be from the measured one: absolute, or percent of it. */
export interface Tolerance {
  readonly absolute?: number;
  readonly percent?: number;
}

/** An error of a figure; null where nothing was measured to compare with. */
export type Errors = Readonly<Record<string, number | null>>;

/** One reference run beside its simulation. */
export interface ValidationRow {
  readonly kind: ReferenceRun["kind"];
  readonly run: string;
  readonly mode: string;
  readonly flushMs: number;
  readonly journalMib: number;
  /** As published or recorded. */
  readonly measured: Figures;
  /** Means over the seeds. */
  readonly simulated: Figures;
  readonly ranges: Ranges;
  /**
   * simulated - measured: `...Points` in percentage points, `...Pct` in percent of the measured,
   * else in counts.
   */
  readonly error: Errors;
  /** Errors beyond their tolerance. */
  readonly misses: readonly string[];
  /**
   * Those of the misses whose measured value lies within the range of the seeds: the reference run
   * is one sample of a world whose runs differ that much.
   */
  readonly within: readonly string[];
  /** Sample standard deviation of the simulated gap over the seeds, points; null with one seed. */
  readonly gapSd: number | null;
  readonly verdict: Verdict;
  readonly lossWindows: number;
  /** The command that repeats the first seed's run. */
  readonly replay: string;
}

export interface Validation {
  readonly seeds: readonly number[];
  readonly complete: boolean;
  readonly rows: readonly ValidationRow[];
  readonly failures: readonly Failure[];
}

export interface ValidateOptions {
  readonly runs: readonly ReferenceRun[];
  /** Default 1 to 12. One real run is one sample; seeds vary what nobody knows of it. */
  readonly seeds?: readonly number[];
  readonly workers?: number;
  readonly signal?: AbortSignal;
  readonly onProgress?: (report: ProgressReport) => void;
}

export const DEFAULT_VALIDATION_SEEDS: readonly number[] = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12];

/** The world of a reference run. */
export function worldOf(run: ReferenceRun, seed: number): RunOptions {
  const workload =
    run.kind === "create"
      ? `fsmark,size=0,files=${Math.max(1, Math.round(run.files / run.iterations))},` +
        `iterations=${run.iterations}`
      : `fsmark,size=${run.fileBytes},files=${run.files},iterations=${run.iterations},` +
        `threads=${run.threads},sharedTop=true,sync=${run.syncMode}`;
  const firstWritebackMs = run.kind === "create" ? run.optional.first_writeback_ms : undefined;
  return {
    setting: "kernel-runs",
    journal: `${Math.round(run.journalMib * 256) * 4}KiB`,
    flushMs: run.flushMs,
    workload,
    seed,
    ...(firstWritebackMs === undefined ? {} : { firstWritebackMs }),
    ...modeNamed(run.mode, run.run),
  };
}

/**
 * Simulates each reference run with each seed, in parallel, and compares. Results do not depend on
 * workers. Throws InputError (unknown mode); a run that fails is in `failures`.
 */
export async function validate(options: ValidateOptions): Promise<Validation> {
  const seeds = options.seeds ?? DEFAULT_VALIDATION_SEEDS;
  const jobs = options.runs.flatMap((run) => seeds.map((seed) => ({ run, seed })));
  const worlds = jobs.map(({ run, seed }) => worldOf(run, seed));
  const results: (RunResult | undefined)[] = jobs.map(() => undefined);
  const failures: Failure[] = [];
  const work = jobs.map(({ run }) => run.handles);
  // Longest first, so that no long run is left alone at the end.
  const order = [...jobs.keys()].sort((a, b) => (work[b] ?? 0) - (work[a] ?? 0) || a - b);
  const progress = new Progress(order.map((i) => work[i] ?? 1));
  const { runAll } = await import("../pool.js");
  await runAll(
    order.map((i) => worlds[i] ?? {}),
    {
      ...(options.workers === undefined ? {} : { workers: options.workers }),
      ...(options.signal === undefined ? {} : { signal: options.signal }),
      onOutcome(outcome, job) {
        if (outcome.kind === "done") results[order[job] ?? 0] = outcome.result;
        if (outcome.kind === "failed") failures.push(outcome.failure);
        progress.finished(job, outcome.kind === "done" ? outcome.result.handles : 0);
      },
      onProgress: (handles) => options.onProgress?.(progress.report(handles)),
    },
  );
  const of = (run: ReferenceRun) => {
    const first = options.runs.indexOf(run) * seeds.length;
    const mine = results.slice(first, first + seeds.length);
    return mine.every((each) => each !== undefined) ? mine : undefined;
  };
  const rows = options.runs.flatMap((run) => {
    const mine = of(run);
    if (mine === undefined) return [];
    return [run.kind === "create" ? createRow(run, mine, options.runs, of) : fsyncRow(run, mine)];
  });
  return { seeds, complete: rows.length === options.runs.length, rows, failures };
}

/** Runs whose name contains `text`, and the v3 runs that their gaps refer to. */
export function selectRuns(runs: readonly ReferenceRun[], text = ""): ReferenceRun[] {
  const chosen = runs.filter((run) => run.run.includes(text));
  const bases = chosen.map((run) => (run.kind === "create" ? baseOf(run, runs) : undefined));
  return runs.filter((run) => chosen.includes(run) || bases.includes(run as KernelRun));
}

/** The v3 run on the same device with the same journal: what gaps refer to. */
function baseOf(run: KernelRun, runs: readonly ReferenceRun[]): KernelRun | undefined {
  return runs.find(
    (each): each is KernelRun =>
      each.kind === "create" &&
      each.mode === "v3" &&
      each.flushMs === run.flushMs &&
      each.journalMib === run.journalMib,
  );
}

const TOLERANCES = {
  hmeanGapPoints: { absolute: 3 },
  commitsPct: { absolute: 10 },
  handlesPerTransactionPct: { absolute: 10 },
  tailMoves: { absolute: 2, percent: 15 },
  commitWaits: { absolute: 2, percent: 15 },
  spaceSharePoints: { absolute: 10 },
  handlesPerCommitPct: { absolute: 10 },
  filesPerCommitPct: { absolute: 10 },
} as const satisfies Record<string, Tolerance>;

/** With a flush that costs nothing the rules hardly differ: the gap must be nil within a point. */
const FREE_FLUSH_MS = 0.1;

/** What each error may be; a count may be either within `absolute` or within `percent`. */
export function toleranceOf(error: string, flushMs: number): Tolerance | undefined {
  if (error === "hmeanGapPoints" && flushMs < FREE_FLUSH_MS) return { absolute: 1 };
  return (TOLERANCES as Record<string, Tolerance>)[error];
}

function missesOf(errors: Errors, measured: Figures, flushMs: number): string[] {
  return Object.keys(errors).filter((name) => {
    const error = errors[name];
    const tolerance = toleranceOf(name, flushMs);
    if (error === null || error === undefined || tolerance === undefined) return false;
    const share = ((tolerance.percent ?? 0) / 100) * Math.abs(measured[name] ?? 0);
    return Math.abs(error) > Math.max(tolerance.absolute ?? 0, share);
  });
}

function createRow(
  run: KernelRun,
  results: readonly RunResult[],
  runs: readonly ReferenceRun[],
  resultsOf: (run: ReferenceRun) => readonly RunResult[] | undefined,
): ValidationRow {
  const base = baseOf(run, runs);
  const baseResults = base && resultsOf(base);
  const gaps = baseResults
    ? results.map((each, i) =>
        percentOff(each.filesPerSecond ?? 0, baseResults[i]?.filesPerSecond ?? 1),
      )
    : undefined;
  const gapMeasured = base ? percentOff(run.hmean, base.hmean) : null;
  const measured: Figures = { ...measuredFigures(run), hmeanGap: gapMeasured };
  const each = results.map((result, i) => ({
    ...simulatedFigures(result),
    hmeanGap: gaps?.[i] ?? null,
  }));
  const figures = meanFigures(each);
  const gap = gaps ? significant(gaps.reduce((a, b) => a + b, 0) / gaps.length, 6) : null;
  const simulated = { ...figures, hmeanGap: gap };
  const off = (name: string) => significant((figures[name] ?? 0) - (measured[name] ?? 0), 6);
  const pct = (name: string) => percentOff(figures[name] ?? 0, measured[name] ?? 0);
  const error = {
    hmeanGapPoints: gap === null || gapMeasured === null ? null : significant(gap - gapMeasured, 6),
    commitsPct: pct("commits"),
    handlesPerTransactionPct: pct("handlesPerTransaction"),
    tailMoves: off("tailMoves"),
    commitWaits: off("commitWaits"),
    spaceSharePoints: off("spaceShare"),
  };
  return { ...describe(run, measured, simulated, error, results, each), gapSd: spread(gaps) };
}

function fsyncRow(run: FsyncRun, results: readonly RunResult[]): ValidationRow {
  const measured = measuredFsync(run);
  const each = results.map(simulatedFsync);
  const simulated = meanFigures(each);
  const pct = (name: string) => percentOff(simulated[name] ?? 0, measured[name] ?? 0);
  const error = {
    handlesPerCommitPct: pct("handlesPerCommit"),
    filesPerCommitPct: pct("filesPerCommit"),
    hmeanPct: pct("hmean"),
  };
  return { ...describe(run, measured, simulated, error, results, each), gapSd: null };
}

function describe(
  run: ReferenceRun,
  measured: Figures,
  simulated: Figures,
  error: Errors,
  results: readonly RunResult[],
  seeds: readonly Figures[],
): Omit<ValidationRow, "gapSd"> {
  const misses = missesOf(error, measured, run.flushMs);
  const ranges = rangesOf(seeds);
  return {
    kind: run.kind,
    run: run.run,
    mode: run.mode,
    flushMs: run.flushMs,
    journalMib: run.journalMib,
    measured,
    simulated,
    ranges,
    error,
    misses,
    within: misses.filter((miss) => liesWithin(measured, ranges, figureOf(miss))),
    verdict: worstVerdict(results),
    lossWindows: results.reduce((sum, each) => sum + each.lossWindows, 0),
    replay: results[0]?.replay ?? "",
  };
}

/** "commitsPct" is about the figure "commits". */
const figureOf = (error: string) => error.replace(/(Pct|Points)$/, "");

function liesWithin(measured: Figures, ranges: Ranges, figure: string): boolean {
  const value = measured[figure];
  const range = ranges[figure];
  if (value === null || value === undefined || range === undefined) return false;
  return value >= range[0] && value <= range[1];
}

function spread(values: readonly number[] | undefined): number | null {
  if (values === undefined || values.length < 2) return null;
  const mean = values.reduce((a, b) => a + b, 0) / values.length;
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0);
  return significant(Math.sqrt(squares / (values.length - 1)), 4);
}
