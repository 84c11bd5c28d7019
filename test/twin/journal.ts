import { JOURNAL_LBA } from "./device.js";
import { Ring } from "./ring.js";
import {
  type Buffer,
  COMMIT_REASONS,
  type CommitReason,
  Kind,
  Note,
  Phase,
  type Steps,
  type Task,
  type Transaction,
  TwinError,
} from "./state.js";
import type { World } from "./world.js";

/** What a policy is told of a log that never runs out. */
const INFINITE_FREE = 2 ** 22 - 1;
const INFINITE_SPACE = 2 ** 30;

/** What kjournald can sleep for: a count of its transaction that has to come down to 0. */
export type Count = "updates" | "logRequests" | "dataRequests";

/** A possible new tail: the first transaction that the log would still have to hold. */
export interface Tail {
  readonly tid: number;
  readonly position: number;
}

/**
 * The log and its transactions. Positions count log blocks without end; block 0 of the journal is
 * its superblock, so position p lies in block 1 + p mod (size - 1).
 */
export class Journal {
  head = 1;
  tail = 1;
  tailTid = 2;
  free: number;
  running: Transaction | undefined;
  committing: Transaction | undefined;
  nextTid = 2;
  commitRequest = 1;
  commitSequence = 1;
  /** Checkpoint transactions, oldest first. */
  readonly checkpoints: Transaction[] = [];
  /** Where the shrinker goes on. */
  shrinkNext: Transaction | undefined;
  averageCommitNs = 0;
  lastCommitNs = 0;
  lastSyncTask: Task | undefined;
  fillRate = 0;
  /** Credits for conversions; part of the running transaction's outstanding ones. */
  reserved = 0;
  readonly waitReserved: Task[] = [];
  readonly waitLocked: Task[] = [];
  readonly waitDone: Task[] = [];
  /** JBD2_FLUSHED: the superblock says that the log is empty. */
  flushed = true;
  kjournaldIdle = true;
  #fillSinceNs = 0;
  #timerArmed = false;
  #awaited: { transaction: Transaction; count: Count } | undefined;
  #mutexOwner: Task | undefined;
  readonly #mutexQueue: Task[] = [];
  readonly #infinite: boolean;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    const { policy, journalBlocks } = world.config;
    this.#infinite = policy.infiniteLog;
    this.free = this.#infinite ? INFINITE_FREE : journalBlocks - 1;
  }

  /** jbd2_log_space_left; below zero is as good as zero. */
  get spaceLeft(): number {
    if (this.#infinite) return INFINITE_SPACE;
    return this.free - 32 - (this.committing?.outstanding ?? 0);
  }
  lbaOf(position: number): number {
    return JOURNAL_LBA + 1 + (position % (this.#world.config.journalBlocks - 1));
  }

  /** jbd2_get_transaction: a new running transaction, its overhead reserved. */
  begin(): Transaction {
    const { clock, config, limits } = this.#world;
    const transaction: Transaction = {
      tid: this.nextTid++,
      phase: Phase.Running,
      updates: 0,
      outstanding: limits.overhead + this.reserved,
      handles: 0,
      metadata: new Ring(),
      forget: new Ring(),
      checkpoint: new Ring(),
      revoked: new Set(),
      logStart: 0,
      logRequests: 0,
      dataRequests: 0,
      written: 0,
      startNs: clock.now,
      expiresNs: clock.now + config.commitIntervalNs,
      lockedNs: 0,
      flushedNs: 0,
      submittedNs: 0,
      recordNs: 0,
    };
    this.running = transaction;
    if (!this.#timerArmed) this.#armTimer(transaction.expiresNs);
    return transaction;
  }
  #armTimer(at: number): void {
    this.#timerArmed = true;
    this.#world.clock.at(at, () => {
      this.#timerArmed = false;
      const { running } = this;
      if (running === undefined) return;
      if (this.#world.clock.now >= running.expiresNs) this.requestCommit(running.tid, "timer");
      else this.#armTimer(running.expiresNs);
    });
  }

  /** A conversion takes what was reserved for it. */
  claimReserved(): void {
    this.reserved -= this.#world.config.conversionCredits;
    this.#world.scheduler.wakeAll(this.waitReserved);
  }

  /** jbd2_log_start_commit: only the running transaction can be asked for, and only once. */
  requestCommit(tid: number, reason: CommitReason): void {
    if (this.running?.tid !== tid || this.commitRequest === tid) return;
    this.commitRequest = tid;
    const { counters, clock, scheduler, kjournald } = this.#world;
    counters.reasons[reason]++;
    clock.tell(Note.Requested, COMMIT_REASONS.indexOf(reason), tid);
    if (!this.kjournaldIdle) return;
    this.kjournaldIdle = false;
    scheduler.wake(kjournald);
  }
  /** jbd2_log_wait_commit */
  *waitCommit(task: Task, tid: number, waitClass: Task["waitClass"]): Steps {
    while (tid > this.commitSequence) {
      yield* this.#world.scheduler.sleepOn(task, this.waitDone, waitClass);
    }
  }
  /** kjournald sleeps until a count of its transaction is 0. */
  *awaitZero(task: Task, transaction: Transaction, count: Count): Steps {
    while (transaction[count] > 0) {
      this.#awaited = { transaction, count };
      this.#world.scheduler.block(task, undefined);
      yield;
    }
  }
  countDown(transaction: Transaction, count: Count): void {
    transaction[count]--;
    const awaited = this.#awaited;
    if (transaction[count] > 0 || awaited?.transaction !== transaction) return;
    if (awaited.count !== count) return;
    this.#awaited = undefined;
    this.#world.scheduler.wake(this.#world.kjournald);
  }

  /** The next block of the log is this transaction's; it holds `buffer` or is a control block. */
  nextBlock(transaction: Transaction, buffer?: Buffer): number {
    if (!this.#infinite) {
      if (this.free <= 0) throw new TwinError("journal-aborted", `log full at ${this.head}`);
      this.free--;
    }
    transaction.outstanding--;
    this.#world.counters.loggedBlocks++;
    this.#world.judge.logBlock(this.head, transaction.tid, buffer);
    return this.head++;
  }

  /** The checkpoint mutex: handed to the task that has waited longest. */
  *lock(task: Task, waitClass: Task["waitClass"]): Steps {
    if (this.#mutexOwner === undefined) {
      this.#mutexOwner = task;
      return;
    }
    yield* this.#world.scheduler.sleepOn(task, this.#mutexQueue, waitClass);
  }
  unlock(): void {
    const next = this.#mutexQueue.shift();
    this.#mutexOwner = next;
    if (next !== undefined) this.#world.scheduler.wake(next);
  }

  /** jbd2_journal_get_log_tail: undefined when the tail is there already. */
  newTail(): Tail | undefined {
    if (this.#infinite) return undefined;
    const oldest = this.checkpoints[0] ?? this.committing;
    const tail = oldest
      ? { tid: oldest.tid, position: oldest.logStart }
      : { tid: this.running?.tid ?? this.nextTid, position: this.head };
    return tail.tid > this.tailTid ? tail : undefined;
  }
  /** Blocks that moving the tail would free now. */
  get tailGain(): number {
    const tail = this.newTail();
    return tail === undefined ? 0 : tail.position - this.tail;
  }
  /**
   * jbd2_cleanup_journal_tail, with the mutex held: flush what went home, then move. False when
   * there was nothing to move.
   */
  *cleanupTail(task: Task): Steps<boolean> {
    const tail = this.newTail();
    if (tail === undefined) return false;
    const { device, config } = this.#world;
    if (config.device.writeCache) {
      const flush = device.request(Kind.Flush, 0, 0);
      yield* device.wait(task, flush, task.isThread ? "log-space/tail-flush" : undefined);
    }
    yield* this.moveTail(task, tail);
    return true;
  }
  /** __jbd2_update_log_tail: the superblock with FUA, then the space is free. */
  *moveTail(task: Task, to: Tail): Steps {
    const { device, judge, counters, clock } = this.#world;
    judge.tailSubmitted(to.position, to.tid);
    const superblock = device.request(Kind.Super, JOURNAL_LBA, 1);
    yield* device.wait(task, superblock, task.isThread ? "log-space/tail-flush" : undefined);
    judge.tailDurable();
    const freed = to.position - this.tail;
    this.free += freed;
    this.tail = to.position;
    this.tailTid = to.tid;
    clock.note(Note.Tail, to.tid, freed);
    counters.tailBlocks += freed;
    counters.tailMovesBy[this.#world.roleOf(task)]++;
  }

  /** __jbd2_journal_drop_transaction */
  drop(transaction: Transaction): void {
    const { clock, counters } = this.#world;
    clock.note(Note.Drop, transaction.tid, transaction.written);
    counters.cleanup.releasedTransactions++;
    this.shrinkNext = undefined;
    this.checkpoints.splice(this.checkpoints.indexOf(transaction), 1);
  }
  /** The committing transaction is done. */
  finish(transaction: Transaction): void {
    const { clock } = this.#world;
    const took = clock.now - transaction.flushedNs;
    this.commitSequence = transaction.tid;
    this.committing = undefined;
    this.lastCommitNs = took;
    const old = this.averageCommitNs;
    this.averageCommitNs = old === 0 ? took : Math.floor((took + 3 * old) / 4);
    const span = clock.now - this.#fillSinceNs;
    this.#fillSinceNs = clock.now;
    if (span <= 0) return;
    const rate = ((this.head - transaction.logStart) * 1e9) / span;
    this.fillRate = this.fillRate === 0 ? rate : (rate + 3 * this.fillRate) / 4;
  }
}
