/** Stall classes: each wait of a handle thread goes to exactly one. */
export const STALL_CLASSES = [
  "transaction-locked",
  "log-space/forced-commit",
  "log-space/home-writes",
  "log-space/tail-flush",
  "log-space/mutex",
  "log-space/wait-committing",
  "shadow",
  "locked-buffer",
  "fsync",
  "dirty-throttle",
  "policy-delay",
  "sync-batching",
] as const;
export type StallClass = (typeof STALL_CLASSES)[number];

export type Verdict =
  | "consistent"
  | "loses-acknowledged-data"
  | "violates-write-ahead"
  | "journal-aborted";

/** A time span in which a power cut loses an acknowledged update of a block. */
export interface LossWindow {
  block: number;
  /** The transaction whose update would be lost. */
  tid: number;
  /** The durable tail that no longer covers it. */
  tailTid: number;
  fromNs: number;
  /** -1: still open at the end. */
  toNs: number;
}

/** What a finished (or stopped) run tells. Times in seconds or the unit in the name. */
export interface RunStats {
  /** True when every thread ended; false when the run was stopped early. */
  complete: boolean;
  handles: number;
  touches: number;
  simulatedSeconds: number;
  /**
   * One per fs_mark iteration, which ends when all threads have; filesPerSecond as fs_mark prints
   * it: the sum over threads of each one's files by its own time.
   */
  iterations: { files: number; seconds: number; filesPerSecond: number }[];
  files: number;
  maxTransactionBlocks: number;
  commits: number;
  commitReasons: { full: number; timer: number; checkpoint: number; sync: number; policy: number };
  /** Handles and buffers of committed transactions. */
  committedHandles: number;
  committedBuffers: number;
  loggedBlocks: number;
  commitSeconds: {
    run: number;
    lock: number;
    submit: number;
    ioWait: number;
    record: number;
    tail: number;
    forget: number;
    total: number;
  };
  frozenCopies: number;
  rejoinedAtCommit: number;
  forcedToClose: number;
  checkpointCalls: number;
  checkpointWrites: number;
  checkpointDropped: number;
  spaceWaits: { count: number; seconds: number; maxMs: number };
  commitWaits: { count: number; seconds: number };
  tailUpdates: { commit: number; handle: number; background: number };
  /**
   * By the task that moved it, as in the reference runs: handle thread, flusher, background
   * worker, kjournald.
   */
  tailMovesBy: { handle: number; flusher: number; worker: number; kjournald: number };
  tailBlocks: number;
  tailCommitDecided: number;
  tailCommitTooSmall: number;
  cleanup: {
    scanned: number;
    freed: number;
    freedRejoined: number;
    stopRejoined: number;
    stopLocked: number;
    stopDirty: number;
    releasedTransactions: number;
  };
  homeWrites: { flusher: number; checkpoint: number; policy: number; total: number };
  dataWrites: number;
  logWrites: number;
  flushes: number;
  /** Of the handle threads. */
  stallSeconds: Record<StallClass, number> & { total: number };
  stallCounts: Record<StallClass, number> & { total: number };
  /** The flusher's own handles waited this long (all classes). */
  flusherStallSeconds: number;
  /** Runnable but without a CPU. */
  runQueueSeconds: number;
  longestWaitMs: number;
  /** Wait per handle, milliseconds at these quantiles. */
  waitQuantilesMs: { p50: number; p99: number; p999: number };
  background: { calls: number; seconds: number };
  crash: {
    verdict: Verdict;
    /** Distinct durable states judged. */
    cuts: number;
    lossWindowCount: number;
    lossWindowSeconds: number;
    /** The first 64. */
    lossWindows: LossWindow[];
    violation: string;
  };
  /** 16 hex digits over every event of the run. */
  digest: string;
}
