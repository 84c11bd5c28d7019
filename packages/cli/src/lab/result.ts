import type { RunStats, StallClass, Verdict } from "@jbdlab/core-wasm";
import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { harmonic, significant } from "./statistics.js";
import type { ResolvedWorld } from "./world.js";

/**
 * One finished run. Sizes in file-system blocks, times with their unit in the name, percentages as
 * numbers.
 */
export interface RunResult {
  readonly seed: number;
  readonly rule: ResolvedWorld["config"]["rule"];
  /** As given: parses back into the same policy. */
  readonly policy: string;
  readonly workload: string;
  readonly device: string;
  readonly setting: string;
  /** Of the log that was run. */
  readonly journalBlocks: number;
  /** What was asked for; differs where a policy wants a larger journal. */
  readonly askedJournalBlocks: number;
  readonly maxTransactionBlocks: number;
  readonly threads: number;
  readonly cpus: number;
  readonly memoryBlocks: number;
  /** False when the run was stopped early or its journal aborted. */
  readonly complete: boolean;
  readonly handles: number;
  readonly touches: number;
  readonly files: number;
  readonly simulatedSeconds: number;
  readonly handlesPerSecond: number;
  /** Harmonic mean over the iterations, as mmtests has it; null for workloads without files. */
  readonly filesPerSecond: number | null;
  readonly iterations: RunStats["iterations"];
  readonly commits: number;
  readonly commitReasons: RunStats["commitReasons"];
  readonly commitSeconds: RunStats["commitSeconds"];
  /** Buffers of a committed transaction, mean. */
  readonly blocksPerCommit: number;
  readonly handlesPerTransaction: number;
  readonly loggedBlocks: number;
  /** How often the log's length was written. */
  readonly logWraps: number;
  readonly frozenCopies: number;
  readonly rejoinedAtCommit: number;
  readonly forcedToClose: number;
  readonly checkpointCalls: number;
  readonly checkpointWrites: number;
  readonly checkpointDropped: number;
  readonly spaceWaits: RunStats["spaceWaits"];
  /** Waits for a commit inside the checkpoint. */
  readonly commitWaits: RunStats["commitWaits"];
  readonly tailUpdates: RunStats["tailUpdates"];
  readonly tailMovesBy: RunStats["tailMovesBy"];
  readonly tailCommitDecided: number;
  readonly tailCommitTooSmall: number;
  readonly cleanup: RunStats["cleanup"];
  /** Home writes of metadata, all writers. */
  readonly homeWrites: number;
  readonly homeWritesBy: { flusher: number; checkpoint: number; policy: number };
  readonly dataWrites: number;
  readonly logWrites: number;
  readonly flushes: number;
  /** Waits of the handle threads by class, summed over threads. */
  readonly stallSeconds: Record<StallClass | "total", number>;
  readonly stallCounts: Record<StallClass | "total", number>;
  readonly flusherStallSeconds: number;
  readonly runQueueSeconds: number;
  readonly longestWaitMs: number;
  readonly waitQuantilesMs: RunStats["waitQuantilesMs"];
  readonly background: RunStats["background"];
  /** Spans of time in which a power cut loses an acknowledged update of a block. */
  readonly lossWindows: number;
  readonly lossWindowSeconds: number;
  /** The first 64 of them. */
  readonly lossWindowList: RunStats["crash"]["lossWindows"];
  readonly durableStatesJudged: number;
  readonly violation: string;
  readonly verdict: Verdict;
  readonly digest: string;
  /**
   * What the workload says it read ("consumed 2 of 2 transactions"); only for workloads from
   * files.
   */
  readonly consumed?: string;
  /** The command that repeats this run. */
  readonly replay: string;
  /** Wall time of the run; the only field that differs between two equal runs. */
  readonly wallMs: number;
}

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : significant(part / whole));

/** The core's statistics as a result. */
export function toResult(
  world: ResolvedWorld,
  stats: RunStats,
  more: { wallMs: number; replay: string; consumed?: string },
): RunResult {
  const { config } = world;
  const {
    homeWrites,
    crash,
    committedBuffers,
    committedHandles,
    tailBlocks: _,
    ...counted
  } = stats;
  const { total, ...homeWritesBy } = homeWrites;
  const rates = stats.iterations.map((each) => each.filesPerSecond);
  return {
    seed: config.seed,
    rule: config.rule,
    policy: world.policy,
    workload: world.workload,
    device: config.device.name,
    setting: world.setting,
    journalBlocks: config.journalBlocks,
    askedJournalBlocks: world.askedJournalBlocks,
    threads: config.threads,
    cpus: config.cpus,
    memoryBlocks: config.memoryBlocks,
    ...counted,
    handlesPerSecond: ratio(stats.handles, stats.simulatedSeconds),
    filesPerSecond: rates.length === 0 || stats.files === 0 ? null : significant(harmonic(rates)),
    blocksPerCommit: ratio(committedBuffers, stats.commits),
    handlesPerTransaction: ratio(committedHandles, stats.commits),
    logWraps: ratio(stats.loggedBlocks, config.journalBlocks),
    homeWrites: total,
    homeWritesBy,
    lossWindows: crash.lossWindowCount,
    lossWindowSeconds: crash.lossWindowSeconds,
    lossWindowList: crash.lossWindows,
    durableStatesJudged: crash.cuts,
    violation: crash.violation,
    verdict: crash.verdict,
    ...(more.consumed === undefined ? {} : { consumed: more.consumed }),
    replay: more.replay,
    wallMs: more.wallMs,
  };
}

/**
 * The rate a report shows: files per second where the workload makes files, else handles per
 * second.
 */
export function throughput(result: RunResult): number {
  return result.filesPerSecond ?? result.handlesPerSecond;
}

/**
 * The stall class with most waiting time, and its share of the threads' time; "none" without
 * stalls.
 */
export function dominantStall(results: readonly RunResult[]): {
  class: StallClass | "none";
  percent: number;
} {
  const time = results.reduce((sum, r) => sum + r.simulatedSeconds * r.threads, 0);
  let worst: StallClass | "none" = "none";
  let most = 0;
  for (const name of STALL_CLASSES) {
    const seconds = results.reduce((sum, r) => sum + r.stallSeconds[name], 0);
    if (seconds > most) {
      worst = name;
      most = seconds;
    }
  }
  return { class: worst, percent: ratio(100 * most, time) };
}

const BY_SEVERITY: readonly Verdict[] = [
  "consistent",
  "loses-acknowledged-data",
  "violates-write-ahead",
  "journal-aborted",
];

/** The worst verdict of several runs. */
export function worstVerdict(results: readonly RunResult[]): Verdict {
  const worst = Math.max(0, ...results.map((r) => BY_SEVERITY.indexOf(r.verdict)));
  return BY_SEVERITY[worst] ?? "consistent";
}
