import { loadPolicy } from "@jbdlab/policies";
import { parseWorkload } from "@jbdlab/workloads";
import type { Row } from "./cells.js";
import { rowName, toCells } from "./cells.js";
import { checkSweepOptions } from "./check-options.js";
import { InputError } from "./errors.js";
import { parseRule, quote, type RunOptions, replayRun, toWords } from "./options.js";
import { Progress, type ProgressReport } from "./progress.js";
import type { Fact } from "./provenance.js";
import type { RunResult } from "./result.js";
import { BLOCK_BYTES, formatJournal, parseJournals } from "./sizes.js";
import type { Failure, SweepResult } from "./sweep-result.js";
import { formatBytes } from "./units.js";
import { VERSION } from "./version.js";
import {
  DEFAULT_WRAPS,
  pinWork,
  type ResolvedWorld,
  resolvePolicy,
  resolveWorld,
} from "./world.js";

export const DEFAULT_ROWS: readonly string[] = [
  "v3/jbd2",
  "v4/jbd2",
  "v4/eager-cleanup",
  "v4/threshold",
  "v4/infinite-log",
];
export const DEFAULT_JOURNALS = "4MiB..256MiB";
export const DEFAULT_SEEDS: readonly number[] = [1, 2, 3];

/** Journal sizes x rows x seeds; what is not named here is as in RunOptions. */
export interface SweepOptions extends Omit<RunOptions, "seed" | "rule" | "policy" | "journal"> {
  /** "4MiB..256MiB" (powers of two, the default), "4MiB,10MiB" ... */
  readonly journal?: string;
  /** "v3/jbd2", "v4/threshold:low=0.5" ...; default: DEFAULT_ROWS. */
  readonly rows?: readonly string[];
  /** Default 1, 2, 3. */
  readonly seeds?: readonly number[];
  /** The row that gaps refer to; default: the first. */
  readonly base?: string;
  /** Worker threads; default: the machine's CPUs. Results do not depend on it. */
  readonly workers?: number;
  /** Stops the sweep; what is finished is in the result, which then is not `complete`. */
  readonly signal?: AbortSignal;
  /** Called for each finished run, in the order in which they end. */
  readonly onRun?: (run: RunResult) => void;
  /** Called about five times a second. */
  readonly onProgress?: (report: ProgressReport) => void;
  /** Runs of the plan to do, by their place in it; default: all. */
  readonly only?: readonly number[];
  /** Runs finished earlier: those that this sweep wants are taken over. */
  readonly finished?: readonly RunResult[];
}

/** Reads "v4/threshold:low=0.5". Throws InputError. */
export function parseRow(text: string): Row {
  const slash = text.indexOf("/");
  if (slash < 0) {
    throw new InputError(`row ${JSON.stringify(text)}: expected rule/policy, such as v4/jbd2`);
  }
  return { rule: parseRule(text.slice(0, slash)), policy: text.slice(slash + 1) };
}

async function canonicalRow(text: string): Promise<Row> {
  const { rule, policy } = parseRow(text);
  return { rule, policy: (await loadPolicy(policy)).text };
}

/** A sweep made definite: every run it wants, in the order of its cells. */
export interface SweepPlan {
  readonly rows: readonly string[];
  readonly base: string;
  readonly journals: readonly number[];
  readonly seeds: readonly number[];
  readonly runs: readonly RunOptions[];
  /** How much work each run is, in units that compare. */
  readonly work: readonly number[];
  /** How often each run is to fill the log; null when the workload's text fixes its work. */
  readonly wraps: number | null;
  /** The world of the first run: what all of them share can be read from it. */
  readonly sample: ResolvedWorld;
}

/**
 * Checks everything a user gave, before any work begins. Throws InputError, PolicyError or
 * WorkloadError.
 */
export async function planSweep(options: SweepOptions): Promise<SweepPlan> {
  checkSweepOptions(options);
  const rows = await Promise.all((options.rows ?? DEFAULT_ROWS).map(canonicalRow));
  const names = rows.map(rowName);
  const repeated = names.find((name, i) => names.indexOf(name) !== i);
  if (repeated !== undefined) throw new InputError(`row ${repeated} is given twice`);
  const base = options.base === undefined ? names[0] : rowName(await canonicalRow(options.base));
  if (base === undefined || !names.includes(base)) {
    throw new InputError(`--base ${options.base}: expected one of the rows (${names.join(", ")})`);
  }
  const journals = parseJournals(options.journal ?? DEFAULT_JOURNALS);
  const seeds = options.seeds ?? DEFAULT_SEEDS;
  const runs: RunOptions[] = [];
  const work: number[] = [];
  let memory: Fact | undefined;
  for (const journalBlocks of journals) {
    const world = worldOptions(options);
    // Every row does the same work, enough to wrap the largest of their logs.
    const policies = rows.map(({ policy }) => resolvePolicy(policy, journalBlocks));
    const logs = (await Promise.all(policies)).map(({ logBlocks }) => logBlocks);
    const pinned = pinWork({ ...world, seed: seeds[0] ?? 1 }, journalBlocks, Math.max(...logs));
    memory ??= pinned.memory;
    for (const row of rows) {
      for (const seed of seeds) {
        runs.push({
          ...world,
          workload: pinned.workload,
          memory: formatBytes(pinned.memory.value * BLOCK_BYTES),
          rule: row.rule,
          policy: row.policy,
          journal: formatJournal(journalBlocks),
          seed,
        });
        work.push(pinned.handles ?? journalBlocks);
      }
    }
  }
  const world = await resolveWorld(runs[0]);
  const provenance = { ...world.provenance, ...(memory && { memoryBlocks: memory }) };
  const fixed = options.workload !== undefined && parseWorkload(options.workload).fixedWork;
  const wraps =
    fixed || options.setting === "kernel-runs" ? null : (options.wraps ?? DEFAULT_WRAPS);
  const sample = { ...world, provenance };
  return { rows: names, base, journals, seeds, runs, work, wraps, sample };
}

/** What all runs of a sweep share. */
function worldOptions(options: SweepOptions): RunOptions {
  const { workload, device, setting, maxTransactionDivisor, flushMs } = options;
  const { threads, cpus, commitSeconds, memory, wraps, firstWritebackMs } = options;
  const world = { workload, device, setting, maxTransactionDivisor, flushMs, firstWritebackMs };
  const all = Object.entries({ ...world, threads, cpus, commitSeconds, memory, wraps });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** The one command that repeats a sweep. */
export function replaySweep(options: SweepOptions): string {
  const words = toWords({ ...options, journal: options.journal ?? DEFAULT_JOURNALS } as RunOptions);
  const rows = (options.rows ?? DEFAULT_ROWS).flatMap((row) => ["--row", quote(row)]);
  const seeds = (options.seeds ?? DEFAULT_SEEDS).join(",");
  const base = options.base === undefined ? [] : ["--base", quote(options.base)];
  return ["npx jbdlab sweep", ...rows, ...words, "--seeds", `list:${seeds}`, ...base].join(" ");
}

/**
 * Runs every row at every journal size with every seed, in parallel. Results are ordered by cell
 * and do not depend on workers or on which run ends first. Bad input throws before any run begins;
 * a run that fails is in `failures`.
 */
export async function sweep(options: SweepOptions = {}): Promise<SweepResult> {
  return runPlan(await planSweep(options), options);
}

/** As `sweep`, for a plan made earlier from the same options. */
export async function runPlan(plan: SweepPlan, options: SweepOptions): Promise<SweepResult> {
  const started = performance.now();
  const { sample } = plan;
  const earlier = new Map((options.finished ?? []).map((run) => [run.replay, run]));
  const results = plan.runs.map((run) => earlier.get(replayRun(run)));
  const failures = new Map<number, Failure>();
  // Longest first, so that no long run is left alone at the end.
  const order = [...plan.runs.keys()]
    .filter((i) => results[i] === undefined && options.only?.includes(i) !== false)
    .sort((a, b) => (plan.work[b] ?? 0) - (plan.work[a] ?? 0) || a - b);
  if (order.length > 0) await execute(options, plan, order, results, failures);
  const done = results.filter((result) => result !== undefined);
  const files = done.length > 0 && done.every((run) => run.filesPerSecond !== null);
  return {
    version: VERSION,
    complete: done.length === plan.runs.length,
    replay: replaySweep(options),
    base: plan.base,
    rows: plan.rows,
    journals: plan.journals,
    seeds: plan.seeds,
    workload: options.workload ?? parseWorkload(sample.workload).name,
    device: sample.config.device.name,
    setting: sample.setting,
    provenance: sample.provenance,
    wraps: plan.wraps,
    unit: files ? "files/s" : "handles/s",
    runsWanted: plan.runs.length,
    runsDone: done.length,
    cells: toCells(done, plan.rows, plan.base),
    ...(done[0]?.consumed === undefined ? {} : { consumed: done[0].consumed }),
    failures: [...failures].sort(([a], [b]) => a - b).map(([, failure]) => failure),
    wallMs: performance.now() - started,
  };
}

async function execute(
  options: SweepOptions,
  plan: SweepPlan,
  order: readonly number[],
  results: (RunResult | undefined)[],
  failures: Map<number, Failure>,
): Promise<void> {
  const { runAll } = await import("./pool.js");
  const progress = new Progress(order.map((i) => plan.work[i] ?? 1));
  const jobs = order.map((i) => plan.runs[i] ?? {});
  await runAll(jobs, {
    ...(options.workers === undefined ? {} : { workers: options.workers }),
    ...(options.signal === undefined ? {} : { signal: options.signal }),
    onOutcome(outcome, job) {
      const index = order[job] ?? 0;
      if (outcome.kind === "done") {
        results[index] = outcome.result;
        progress.finished(job, outcome.result.handles);
        options.onRun?.(outcome.result);
      } else if (outcome.kind === "failed") {
        failures.set(index, outcome.failure);
        progress.finished(job, 0);
      }
    },
    onProgress: (handles) => options.onProgress?.(progress.report(handles)),
  });
}
