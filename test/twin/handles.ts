// Handles (transaction.c): starting one, getting access to its buffers, stopping it.
import { Access, HandleFlag } from "@jbdlab/core-wasm";
import { waitForSpace } from "./checkpoint.js";
import { removeFromCheckpoint } from "./cleanup.js";
import {
  type Buffer,
  type Handle,
  Note,
  Phase,
  type Steps,
  type Task,
  type Touch,
  type Transaction,
  TwinError,
} from "./state.js";
import type { World } from "./world.js";

/** max_batch_time */
const MAX_BATCH_NS = 15_000_000;

/** What a task wants to do in one handle. */
export interface HandlePlan {
  readonly credits: number;
  readonly cpuNs: number;
  readonly inode: number;
  readonly flags: number;
  readonly touches: readonly Touch[];
  /** It allocates file data, which is written next. */
  readonly writesData: boolean;
}

/** Runs one handle; returns the transaction it was part of. */
export function* runHandle(w: World, task: Task, plan: HandlePlan): Steps<Transaction> {
  const reserves = plan.writesData ? w.config.conversionCredits : 0;
  const transaction = yield* startHandle(w, task, plan.credits, reserves);
  const handle: Handle = { transaction, credits: plan.credits, used: 0 };
  yield* accessBuffers(w, task, handle, plan);
  yield* stopHandle(w, task, handle, plan);
  return transaction;
}

/** add_transaction_credits: joins the running transaction, or waits until that is possible. */
function* startHandle(w: World, task: Task, credits: number, reserves: number): Steps<Transaction> {
  const { journal, limits, policy, scheduler } = w;
  for (;;) {
    if (policy.delayNs > 0 && task.isThread && !task.delayed) {
      task.delayed = true;
      yield* scheduler.sleepFor(task, policy.delayNs, "policy-delay");
    }
    if (!task.asked && policy.firesBelow(journal.spaceLeft)) {
      task.asked = true; // once for each start of a handle
      continue;
    }
    const running = journal.running ?? journal.begin();
    if (task === w.converter) {
      // Its credits are in the running transaction already.
      if (running.phase === Phase.Switch) {
        yield* scheduler.sleepOn(task, journal.waitLocked, undefined);
        continue;
      }
      journal.claimReserved();
      return join(w, task, running);
    }
    if (running.phase !== Phase.Running) {
      yield* scheduler.sleepOn(task, journal.waitLocked, "transaction-locked");
      continue;
    }
    const needed = running.outstanding + credits + reserves;
    const empty = running.handles === 0 && running.metadata.size === 0;
    if (needed > (empty ? limits.maxTransaction : limits.close)) {
      const alone = journal.reserved + credits + reserves > limits.maxTransaction;
      if (journal.reserved > 0 && (empty || alone)) {
        yield* scheduler.sleepOn(task, journal.waitReserved, "transaction-locked");
        continue;
      }
      if (empty) {
        throw new TwinError("too-large", `a handle of ${credits + reserves} credits`);
      }
      journal.requestCommit(running.tid, "full");
      yield* scheduler.sleepOn(task, journal.waitLocked, "transaction-locked");
      continue;
    }
    if (journal.spaceLeft < limits.maxTransaction) {
      yield* waitForSpace(w, task);
      continue;
    }
    if (reserves > 0 && journal.reserved + reserves > Math.floor(limits.maxTransaction / 2)) {
      yield* scheduler.sleepOn(task, journal.waitReserved, "transaction-locked");
      continue;
    }
    journal.reserved += reserves;
    running.outstanding = needed;
    return join(w, task, running);
  }
}
function join(w: World, task: Task, running: Transaction): Transaction {
  running.updates++;
  running.handles++;
  w.clock.note(Note.Start, task.id, running.tid);
  return running;
}

/** All accesses first, then the CPU time of the handle and of the copies it had to make. */
function* accessBuffers(w: World, task: Task, handle: Handle, plan: HandlePlan): Steps {
  let cpuNs = plan.cpuNs;
  for (const touch of plan.touches) {
    const b = w.bufferOf(touch.block);
    if (touch.kind === Access.Forget) {
      forget(w, handle, b);
    } else {
      for (;;) {
        const wait = reasonToWait(b, handle.transaction);
        if (wait === undefined) break;
        yield* w.scheduler.sleepOn(task, b.waiters, wait);
      }
      if (takeAccess(w, task, handle, b)) cpuNs += w.config.cpu.frozenCopyNs;
    }
    w.counters.touches++;
  }
  yield* w.scheduler.burst(task, cpuNs);
}
const isIn = (b: Buffer, transaction: Transaction) =>
  b.transaction === transaction || b.next === transaction;

/** The transaction may change it at once; what it freed it has to take again like any other. */
const granted = (b: Buffer, transaction: Transaction) => isIn(b, transaction) && !b.revoked;

function reasonToWait(b: Buffer, transaction: Transaction): Task["waitClass"] {
  if (granted(b, transaction)) return undefined;
  if (b.locked) return "locked-buffer";
  return b.shadow && !b.frozen ? "shadow" : undefined;
}
/** do_get_write_access and jbd2_journal_dirty_metadata; true when a frozen copy was made. */
function takeAccess(w: World, task: Task, handle: Handle, b: Buffer): boolean {
  const { transaction } = handle;
  if (granted(b, transaction)) return false;
  let copied = false;
  if (isIn(b, transaction)) transaction.revoked.delete(b.block); // freed by itself: cancelled
  if (b.transaction === transaction) {
    transaction.forget.remove(b);
    b.jbddirty = true;
    fileMetadata(b, transaction);
  } else if (b.transaction === undefined) {
    w.pages.markClean(b);
    b.jbddirty = true;
    fileMetadata(b, transaction);
    w.clock.tell(Note.Joined, b.block, transaction.tid);
  } else {
    // The committing transaction has it. Not logged yet: the commit gets a copy.
    if (b.list === "metadata" && !b.frozen) {
      b.frozen = true;
      copied = true;
      w.counters.frozenCopies++;
      w.clock.tell(Note.Frozen, b.block, task.id);
    }
    b.next = transaction;
    w.clock.tell(Note.NextIs, b.block, transaction.tid);
  }
  b.freed = false;
  b.revoked = false;
  b.modified = true;
  b.version = transaction.tid;
  handle.used++;
  return copied;
}
export function fileMetadata(b: Buffer, transaction: Transaction): void {
  b.transaction = transaction;
  b.list = "metadata";
  transaction.metadata.addLast(b);
}
export function fileForget(b: Buffer, transaction: Transaction): void {
  b.transaction = transaction;
  b.list = "forget";
  transaction.forget.addLast(b);
}

/** jbd2_journal_revoke and jbd2_journal_forget: this handle frees the block. */
function forget(w: World, handle: Handle, b: Buffer): void {
  const { transaction } = handle;
  if (!transaction.revoked.has(b.block)) {
    transaction.revoked.add(b.block);
    w.clock.tell(Note.Revoked, b.block, transaction.tid);
  }
  if (isIn(b, transaction) && b.modified) handle.used--;
  b.modified = false;
  b.revoked = true;
  if (b.transaction === undefined) {
    // Written home already: off the checkpoint list. Else the list keeps it until this commit ends.
    if (b.checkpoint !== undefined && !b.dirty && !b.locked) removeFromCheckpoint(w, b);
    w.pages.markClean(b);
    fileForget(b, transaction);
    return;
  }
  if (b.transaction !== transaction) {
    // A commit has it: it stays there, and comes to this transaction's forget list afterwards.
    b.next = transaction;
    b.freed = true;
  } else if (b.list !== "forget") {
    transaction.metadata.remove(b);
    b.jbddirty = false;
    fileForget(b, transaction);
  }
}
/** jbd2_journal_stop */
function* stopHandle(w: World, task: Task, handle: Handle, plan: HandlePlan): Steps {
  const { clock, journal, scheduler } = w;
  const { transaction } = handle;
  const sync = (plan.flags & HandleFlag.Sync) !== 0;
  if (sync && journal.lastSyncTask !== task) {
    journal.lastSyncTask = task;
    const batchNs = Math.min(journal.averageCommitNs, MAX_BATCH_NS);
    if (clock.now - transaction.startNs < batchNs) {
      yield* scheduler.sleepFor(task, batchNs, "sync-batching");
    }
  }
  if (handle.used > handle.credits) {
    throw new TwinError("credits", `${handle.used} of ${handle.credits}`);
  }
  transaction.outstanding -= handle.credits - handle.used;
  if (plan.inode !== 0) w.inodes.of(plan.inode).syncTid = transaction.tid;
  if (sync) journal.requestCommit(transaction.tid, "sync");
  else if (clock.now >= transaction.expiresNs) journal.requestCommit(transaction.tid, "timer");
  if (plan.writesData && w.config.conversionCredits === 0) transaction.dataRequests++;
  journal.countDown(transaction, "updates");
  clock.note(Note.Stop, task.id, handle.used);
  if (sync) yield* journal.waitCommit(task, transaction.tid, "fsync");
  task.delayed = false;
  task.asked = false;
  if (!task.isThread) return;
  w.counters.handles++;
  if (task.handleWaitNs > 0) w.counters.handleWaitsNs.push(task.handleWaitNs);
  task.handleWaitNs = 0;
}
