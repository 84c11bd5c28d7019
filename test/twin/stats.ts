import { type RunStats, STALL_CLASSES, type StallClass } from "@jbdlab/core-wasm";
import type { CommitReason } from "./state.js";
import { COMMIT_REASONS } from "./state.js";

type PerClass = Record<StallClass, number>;
const zeroes = <K extends string>(names: readonly K[]): Record<K, number> =>
  Object.fromEntries(names.map((name) => [name, 0])) as Record<K, number>;

/** What the twin counts, times in ns. */
export class Counters {
  handles = 0;
  touches = 0;
  files = 0;
  readonly iterations: { files: number; endNs: number; filesPerSecond: number }[] = [];
  commits = 0;
  readonly reasons: Record<CommitReason, number> = zeroes(COMMIT_REASONS);
  committedHandles = 0;
  committedBuffers = 0;
  loggedBlocks = 0;
  readonly commitNs = zeroes([
    "run",
    "lock",
    "submit",
    "ioWait",
    "record",
    "tail",
    "forget",
    "total",
  ] as const);
  frozenCopies = 0;
  rejoinedAtCommit = 0;
  forcedToClose = 0;
  checkpointCalls = 0;
  checkpointWrites = 0;
  checkpointDropped = 0;
  readonly space = { count: 0, ns: 0, maxNs: 0 };
  readonly commitWaits = { count: 0, ns: 0 };
  readonly tailMovesBy = { handle: 0, flusher: 0, worker: 0, kjournald: 0 };
  tailByCommit = 0;
  tailBlocks = 0;
  tailCommitDecided = 0;
  tailCommitTooSmall = 0;
  readonly cleanup = {
    scanned: 0,
    freed: 0,
    freedRejoined: 0,
    stopRejoined: 0,
    stopLocked: 0,
    stopDirty: 0,
    releasedTransactions: 0,
  };
  readonly homeWrites = { flusher: 0, checkpoint: 0, policy: 0 };
  dataWrites = 0;
  logWrites = 0;
  flushes = 0;
  readonly stallNs: PerClass = zeroes(STALL_CLASSES);
  readonly stallCounts: PerClass = zeroes(STALL_CLASSES);
  flusherStallNs = 0;
  runQueueNs = 0;
  /** Waits of the handles that waited at all. */
  readonly handleWaitsNs: number[] = [];
  readonly background = { calls: 0, ns: 0 };
}

const seconds = (ns: number) => ns / 1e9;
const total = (values: PerClass) => STALL_CLASSES.reduce((sum, name) => sum + values[name], 0);
const mapped = <K extends string>(values: Record<K, number>, f: (n: number) => number) =>
  Object.fromEntries(Object.entries<number>(values).map(([k, v]) => [k, f(v)])) as Record<
    K,
    number
  >;

/** Upper end of the bucket (four per power of two) that holds a wait, ms. */
function bucketEndMs(ns: number): number {
  let power = 1;
  while (power * 2 <= ns) power *= 2;
  const quarter = power >= 4 ? Math.floor((ns - power) / (power / 4)) : 0;
  return (power * (1 + (quarter + 1) / 4)) / 1e6;
}

function waitQuantiles(counters: Counters): RunStats["waitQuantilesMs"] {
  const sorted = counters.handleWaitsNs.slice().sort((a, b) => a - b);
  const quantile = (q: number): number => {
    // Handles that did not wait come first.
    const rank = q * counters.handles - (counters.handles - sorted.length);
    const wait = rank <= 0 ? undefined : sorted[Math.ceil(rank) - 1];
    return wait === undefined ? 0 : bucketEndMs(wait);
  };
  return { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999) };
}

function iterations(counters: Counters): RunStats["iterations"] {
  let files = 0;
  let endNs = 0;
  return counters.iterations.map((sample) => {
    const made = sample.files - files;
    const took = seconds(sample.endNs - endNs);
    files = sample.files;
    endNs = sample.endNs;
    return { files: made, seconds: took, filesPerSecond: sample.filesPerSecond };
  });
}

/** The counters in the public shape; the world adds what it alone knows. */
export function report(
  c: Counters,
  world: Pick<
    RunStats,
    "complete" | "simulatedSeconds" | "maxTransactionBlocks" | "crash" | "digest"
  >,
): RunStats {
  const { homeWrites, tailMovesBy, stallNs } = c;
  return {
    ...world,
    handles: c.handles,
    touches: c.touches,
    iterations: iterations(c),
    files: c.files,
    commits: c.commits,
    commitReasons: c.reasons,
    committedHandles: c.committedHandles,
    committedBuffers: c.committedBuffers,
    loggedBlocks: c.loggedBlocks,
    commitSeconds: mapped(c.commitNs, seconds),
    frozenCopies: c.frozenCopies,
    rejoinedAtCommit: c.rejoinedAtCommit,
    forcedToClose: c.forcedToClose,
    checkpointCalls: c.checkpointCalls,
    checkpointWrites: c.checkpointWrites,
    checkpointDropped: c.checkpointDropped,
    spaceWaits: { count: c.space.count, seconds: seconds(c.space.ns), maxMs: c.space.maxNs / 1e6 },
    commitWaits: { count: c.commitWaits.count, seconds: seconds(c.commitWaits.ns) },
    tailUpdates: {
      commit: c.tailByCommit,
      handle: tailMovesBy.handle + tailMovesBy.flusher,
      background: tailMovesBy.worker + tailMovesBy.kjournald - c.tailByCommit,
    },
    tailMovesBy: { ...tailMovesBy },
    tailBlocks: c.tailBlocks,
    tailCommitDecided: c.tailCommitDecided,
    tailCommitTooSmall: c.tailCommitTooSmall,
    cleanup: { ...c.cleanup },
    homeWrites: {
      ...homeWrites,
      total: homeWrites.flusher + homeWrites.checkpoint + homeWrites.policy,
    },
    dataWrites: c.dataWrites,
    logWrites: c.logWrites,
    flushes: c.flushes,
    stallSeconds: { ...mapped(stallNs, seconds), total: total(mapped(stallNs, seconds)) },
    stallCounts: { ...c.stallCounts, total: total(c.stallCounts) },
    flusherStallSeconds: seconds(c.flusherStallNs),
    runQueueSeconds: seconds(c.runQueueNs),
    longestWaitMs: c.handleWaitsNs.reduce((a, b) => Math.max(a, b), 0) / 1e6,
    waitQuantilesMs: waitQuantiles(c),
    background: { calls: c.background.calls, seconds: seconds(c.background.ns) },
  };
}
