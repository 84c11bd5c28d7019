// Waiting for log space and writing the oldest transaction home (checkpoint.c).
import { removeFromCheckpoint } from "./cleanup.js";
import { type Buffer, type Steps, type Task, type Transaction, TwinError } from "./state.js";
import type { World } from "./world.js";

/** JBD2_NR_BATCH */
const BATCH = 64;

/** __jbd2_log_wait_for_space: returns when a maximum transaction has room. */
export function* waitForSpace(w: World, task: Task): Steps {
  const { journal, clock, counters, limits } = w;
  const enough = () => journal.spaceLeft >= limits.maxTransaction;
  const from = clock.now;
  while (!enough()) {
    yield* journal.lock(task, "log-space/mutex");
    if (!enough()) {
      const committing = journal.committing?.tid;
      if (journal.checkpoints.length > 0) {
        yield* logDoCheckpoint(w, task);
      } else if (!(yield* journal.cleanupTail(task))) {
        if (committing === undefined) {
          throw new TwinError("journal-aborted", `${journal.spaceLeft} blocks left`);
        }
        journal.unlock();
        yield* journal.waitCommit(task, committing, "log-space/wait-committing");
        continue;
      }
    }
    journal.unlock();
  }
  if (!task.isThread) return;
  counters.space.count++;
  counters.space.ns += clock.now - from;
  counters.space.maxNs = Math.max(counters.space.maxNs, clock.now - from);
}

/** jbd2_log_do_checkpoint: one transaction, with the mutex held. */
export function* logDoCheckpoint(w: World, task: Task): Steps {
  const { journal } = w;
  w.counters.checkpointCalls++;
  if (yield* journal.cleanupTail(task)) return;
  const oldest = journal.checkpoints[0];
  if (oldest !== undefined) {
    while (journal.checkpoints[0] === oldest) {
      const outcome = walk(w, task, oldest);
      yield* w.scheduler.burst(task, w.config.cpu.scanBufferNs * outcome.looked);
      if (outcome.locked?.locked) {
        yield* w.scheduler.sleepOn(task, outcome.locked.waiters, "log-space/home-writes");
      }
      yield* flushBatch(w, task, outcome.batch);
      if (outcome.done) break;
      if (outcome.forced !== undefined) yield* forceCommit(w, task, outcome.forced);
    }
  }
  yield* journal.cleanupTail(task);
}

interface Walk {
  /** Buffers looked at. */
  looked: number;
  /** To be written home. */
  batch: Buffer[];
  /** The walk ended at a buffer of this transaction. */
  forced?: number;
  /** The walk ended at this buffer, its home write is in flight. */
  locked?: Buffer;
  /** The list is empty, or all that is left was queued and the list came to its end. */
  done: boolean;
}

/** Walks the list from its head until there is something to wait for or a batch is full. */
function walk(w: World, task: Task, transaction: Transaction): Walk {
  const found: Walk = { looked: 0, batch: [], done: false };
  const list = transaction.checkpoint;
  for (let b = list.first; b !== undefined; b = list.first) {
    found.looked++;
    if (b.transaction !== undefined) {
      w.counters.forcedToClose++;
      found.forced = b.transaction.tid;
      return found;
    }
    if (b.locked) {
      found.locked = b;
      return found;
    }
    if (!b.dirty) {
      if (removeFromCheckpoint(w, b) || list.size === 0) {
        found.done = true;
        return found;
      }
    } else {
      found.batch.push(b);
      transaction.written++;
      w.counters.checkpointWrites++;
      list.rotate();
      if (found.batch.length === BATCH || task.resched) return found;
    }
    if (list.first === found.batch[0]) return found;
  }
  found.done = true;
  return found;
}

/** A rejoined buffer can only leave with the commit of the transaction that holds it. */
function* forceCommit(w: World, task: Task, tid: number): Steps {
  const { journal, clock, counters } = w;
  journal.requestCommit(tid, "checkpoint");
  journal.unlock();
  const from = clock.now;
  yield* journal.waitCommit(task, tid, "log-space/forced-commit");
  if (task.isThread) {
    counters.commitWaits.count++;
    counters.commitWaits.ns += clock.now - from;
  }
  yield* journal.lock(task, "log-space/mutex");
}

/** __flush_batch: write_dirty_buffer for each, plugged. */
function* flushBatch(w: World, task: Task, batch: readonly Buffer[]): Steps {
  const waitClass = "log-space/home-writes";
  for (const b of batch) {
    // Each sleep may have changed what is to be done.
    while (b.locked || (b.dirty && b.transaction === undefined)) {
      if (!b.locked && w.plug.takes(task, b)) {
        w.plug.add(task, b);
        w.counters.homeWrites.checkpoint++;
        break;
      }
      yield* w.plug.send(task, waitClass);
      if (b.locked) yield* w.scheduler.sleepOn(task, b.waiters, waitClass);
    }
    yield* w.scheduler.burst(task, w.config.cpu.checkpointWriteNs);
  }
  yield* w.plug.send(task, waitClass);
}
