import type { Summary } from "./distribution.js";
import type { LineFit } from "./line-fit.js";

/** The stretches of a transaction's life that `jbd2_run_stats` and /proc/fs/jbd2 tell apart. */
export const COMMIT_PHASES = [
  "wait",
  "requestDelay",
  "running",
  "locked",
  "flushing",
  "logging",
] as const;
export type CommitPhase = (typeof COMMIT_PHASES)[number];

/** Who did something, by the name of the task. */
export const TASK_KINDS = ["kjournald", "handle", "kworker", "unknown"] as const;
export type TaskKind = (typeof TASK_KINDS)[number];

/** An estimate and what it rests on. */
export interface Estimate {
  readonly value: number;
  /** Samples. */
  readonly count: number;
  /** False: an upper bound. */
  readonly exact: boolean;
  /** How it was taken, in words. */
  readonly how: string;
}

/** Checkpoints of a journal (`jbd2_checkpoint_stats`, C rows of the history table). */
export interface CheckpointMeasurements {
  /** Transactions that left the checkpoint list. */
  readonly count: number;
  /** Of these, how many took time: a task out of log space worked on them. */
  readonly timed: number;
  readonly timeMs: Summary | undefined;
  /**
   * Checkpoints that met a buffer of a running or committing transaction and waited for its
   * commit.
   */
  readonly forced: number;
  readonly forcedMs: number;
  /** Checkpoints that took time, wrote blocks home and waited for no commit. */
  readonly writing: number;
  readonly writingMs: number;
  /** Blocks that the writing ones wrote home. */
  readonly writingBlocks: number;
  /** Of all checkpoints. */
  readonly written: number;
  readonly dropped: number;
  /** Time per block written home, milliseconds; undefined when none was. */
  readonly msPerHomeBlock: number | undefined;
  readonly byTask: Readonly<Record<TaskKind, number>> | undefined;
}

/** Moves of the log tail (`jbd2_update_log_tail`). */
export interface TailMeasurements {
  readonly count: number;
  /** Log blocks freed per move. */
  readonly freed: Summary | undefined;
  readonly byTask: Readonly<Record<TaskKind, number>>;
}

/**
 * What any source tells of a journal at work. What a source does not tell is undefined, never 0.
 */
export interface Measurements {
  /** Device "major,minor" or a name; undefined when the source has only one. */
  readonly device: string | undefined;
  /** Length of the observation, seconds. */
  readonly seconds: number | undefined;
  readonly commits: number | undefined;
  /** Largest transaction the journal allows, blocks. */
  readonly maxTransactionBlocks: number | undefined;
  readonly handlesPerTransaction: Summary | undefined;
  readonly blocksPerTransaction: Summary | undefined;
  readonly loggedPerTransaction: Summary | undefined;
  /** Milliseconds per transaction. `wait` is the longest wait of a handle to start in it. */
  readonly phasesMs: Readonly<Partial<Record<CommitPhase, Summary>>>;
  /** Commit, start to end, milliseconds. */
  readonly commitMs: Summary | undefined;
  /** Commit time in ms over its log blocks. */
  readonly commitFit: LineFit | undefined;
  /** Share of commits that a task asked for and waits on (`sync 1`), 0 ... 1. */
  readonly syncShare: number | undefined;
  readonly checkpoints: CheckpointMeasurements | undefined;
  readonly tailUpdates: TailMeasurements | undefined;
  readonly handles: HandleMeasurements | undefined;
  /** Waits of single handles, milliseconds, by the event that told them. */
  readonly waitsMs: Readonly<Record<string, Summary>>;
  /** A cache flush of the device, milliseconds. */
  readonly deviceFlushMs: Estimate | undefined;
  /** A forced-unit-access write of the journal superblock, milliseconds. */
  readonly superblockWriteMs: Estimate | undefined;
}

/** Of `jbd2_handle_start` and `jbd2_handle_stats`. */
export interface HandleMeasurements {
  readonly started: number;
  readonly extended: number;
  readonly restarted: number;
  readonly requestedBlocks: Summary | undefined;
  readonly dirtiedBlocks: Summary | undefined;
  /** Jiffies from start to stop: the kernel prints them raw. */
  readonly intervalJiffies: Summary | undefined;
  readonly sync: number;
}

/** Measurements of a source that tells nothing; importers fill in what theirs does. */
export const NOTHING: Measurements = {
  device: undefined,
  seconds: undefined,
  commits: undefined,
  maxTransactionBlocks: undefined,
  handlesPerTransaction: undefined,
  blocksPerTransaction: undefined,
  loggedPerTransaction: undefined,
  phasesMs: {},
  commitMs: undefined,
  commitFit: undefined,
  syncShare: undefined,
  checkpoints: undefined,
  tailUpdates: undefined,
  handles: undefined,
  waitsMs: {},
  deviceFlushMs: undefined,
  superblockWriteMs: undefined,
};
