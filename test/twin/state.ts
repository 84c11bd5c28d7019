// The naive twin: the same law as the core, written once more in plain objects, with generators as
// tasks. It shares no code with the core; only the public types, and the numbers that the digest
// covers.
import type { Access, StallClass } from "@jbdlab/core-wasm";
import type { Ring } from "./ring.js";

/** What a task's code is: it yields whenever it gives up its CPU or uses it for some time. */
export type Steps<T = void> = Generator<undefined, T, undefined>;

/** Events of the digest: the code, and what a and b are. */
export const Note = {
  Start: 1, // handle joined: thread, tid
  Stop: 2, // handle stopped: thread, credits used
  Commit: 3, // commit phase: phase, tid
  Io: 4, // request done: kind, blocks
  Tail: 5, // tail moved: tid, blocks freed
  Drop: 6, // transaction dropped: tid, buffers its checkpoints queued
  Stall: 7, // wait ended: class, thread
  Loss: 8, // loss window opened: block, tid; closed: block, 0
  Iteration: 9, // barrier passed: number, files
  // What follows is told to a listener only, the digest does not cover it.
  WaitBegins: 32, // class, task
  Frozen: 33, // block, thread
  Joined: 34, // block, tid; it became part of a transaction
  NextIs: 35, // block, tid; in the committing transaction, the next one has it too
  Listed: 36, // block, tid of the checkpoint list
  Unlisted: 37, // block, tid of the checkpoint list
  HomeWrite: 38, // first block, blocks
  Revoked: 39, // block, tid
  Requested: 40, // commit asked for: reason (order of CommitReason), tid
  Throttled: 41, // dirty pages, thread
  TailSampled: 42, // 1 = the commit will move the tail, 0 = too few; blocks it frees
  TailOvertaken: 43, // tid
} as const;
export type Note = (typeof Note)[keyof typeof Note];

/** One entry of the twin's event log. */
export interface TwinEvent {
  readonly timeNs: number;
  readonly note: Note;
  readonly a: number;
  readonly b: number;
}

export const Phase = {
  Running: 0,
  Locked: 1,
  Switch: 2,
  Flush: 3,
  Commit: 4,
  Dflush: 5,
  Jflush: 6,
  Finished: 8,
} as const;
export type Phase = (typeof Phase)[keyof typeof Phase];

export const COMMIT_REASONS = ["full", "timer", "checkpoint", "sync", "policy"] as const;
export type CommitReason = (typeof COMMIT_REASONS)[number];

export interface Task {
  readonly id: number;
  /** A handle thread: its waits are counted by class. */
  readonly isThread: boolean;
  steps: Steps;
  waitClass: StallClass | undefined;
  waitFromNs: number;
  /** Since when it is runnable without a CPU, -1 = that time belongs to a wait. */
  preemptedNs: number;
  /** Waits since the last handle stopped. */
  handleWaitNs: number;
  /** The policy's delay was served for this handle. */
  delayed: boolean;
  /** The policy was asked for this start of a handle. */
  asked: boolean;
  /** The request that adjacent blocks still join. */
  plug: Request | undefined;
  // Scheduling: virtual times in ns of CPU time.
  vruntime: number;
  deadline: number;
  /** The deadline with which it was picked. */
  sliceEnd: number;
  /** Its CPU time is charged up to here. */
  chargedNs: number;
  /** Last look at the clock. */
  lookedNs: number;
  /** How far it was behind the average when it went to sleep. */
  lag: number;
  /** What interrupts took from its burst. */
  stolenNs: number;
  /** TIF_NEED_RESCHED */
  resched: boolean;
}

/** A file-system block: buffer_head and journal_head in one. */
export interface Buffer {
  readonly block: number;
  /** May be written home. */
  dirty: boolean;
  /** Dirty, but a transaction owns it. */
  jbddirty: boolean;
  /** Its home write is in flight. */
  locked: boolean;
  /** Its log write is in flight. */
  shadow: boolean;
  /** The log write uses a copy. */
  frozen: boolean;
  /** Where `transaction` files it; "logged" from the moment the commit took it. */
  list: "none" | "metadata" | "logged" | "forget";
  /** b_modified: the newest transaction that holds it paid a credit for it. */
  modified: boolean;
  /** Forgotten by `next` while `transaction` commits it. */
  freed: boolean;
  /** The newest transaction that holds it revokes it. */
  revoked: boolean;
  /** The flusher will look at its page. */
  pageDirty: boolean;
  transaction: Transaction | undefined;
  next: Transaction | undefined;
  checkpoint: Transaction | undefined;
  readonly waiters: Task[];
  /** tid of the transaction that changed it last. */
  version: number;
}

export interface Transaction {
  readonly tid: number;
  phase: Phase;
  /** Open handles. */
  updates: number;
  outstanding: number;
  handles: number;
  readonly metadata: Ring<Buffer>;
  readonly forget: Ring<Buffer>;
  readonly checkpoint: Ring<Buffer>;
  readonly revoked: Set<number>;
  logStart: number;
  logRequests: number;
  dataRequests: number;
  /** Buffers that checkpoints queued to be written home. */
  written: number;
  readonly startNs: number;
  readonly expiresNs: number;
  lockedNs: number;
  flushedNs: number;
  submittedNs: number;
  recordNs: number;
}

export interface Touch {
  readonly kind: Access;
  readonly block: number;
}

export interface Inode {
  readonly number: number;
  /** Dirty file pages, and the handle that will allocate them. */
  pages: number;
  inFlight: number;
  dataBlock: number;
  credits: number;
  cpuNs: number;
  touches: readonly Touch[];
  /** When its pages became dirty. */
  whenNs: number;
  syncTid: number;
  waiters: Task[];
}

/** What one handle does and has used so far. */
export interface Handle {
  readonly transaction: Transaction;
  readonly credits: number;
  used: number;
}

/** Kinds of block requests, numbered as the digest wants them. */
export const Kind = { Log: 1, Record: 2, Flush: 3, Super: 4, Home: 5, Data: 6 } as const;
export type Kind = (typeof Kind)[keyof typeof Kind];

export interface Request {
  readonly kind: Kind;
  readonly lba: number;
  blocks: number;
  readonly buffers: Buffer[];
  /** Log blocks it carries. */
  readonly positions: number[];
  transaction: Transaction | undefined;
  inode: Inode | undefined;
  /** Sleeps until the request has a tag. */
  submitter: Task | undefined;
  /** Sleeps until the request is done. */
  waiter: Task | undefined;
  /** The background worker counts it. */
  watched: boolean;
  /** A commit record flushes first. */
  preflushed: boolean;
  /** A superblock without FUA. */
  plain: boolean;
  /** What a flush covers. */
  mark: number;
}

/** Why a run ended early; the codes of the core's CoreError. */
export class TwinError extends Error {
  override readonly name = "TwinError";
  constructor(
    readonly code: "credits" | "too-large" | "journal-aborted" | "stuck" | "workload" | "assert",
    message: string,
  ) {
    super(message);
  }
}
