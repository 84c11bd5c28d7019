// The journal: log space, head and tail, transactions, commit requests, the checkpoint mutex
// (journal.c).

// Transaction record, 192 B.
import { commitInterval, infiniteLog, journalBlocks, overhead } from "./config";
import { block, blockOn, wake } from "./cpu";
import { judgeLogged } from "./crash";
import { R, R_TASK, submitQuiet } from "./device";
import { DG_DROP, EV_TIMER, note, now, push } from "./events";
import { ERR_LOG_FULL, ERR_TXS, MAX_RING, MAX_TXS, TXS, fail } from "./layout";
import { C_NONE, ST_CL_RELEASED, ST_REASON, add } from "./stats";
import { Q_MUTEX, dequeue, kjournald } from "./task";

export const X_TID: usize = 0;
export const X_STATE: usize = 4;
export const X_UPDATES: usize = 8; // open handles
export const X_OUTSTANDING: usize = 12; // t_outstanding_credits
export const X_HANDLES: usize = 16;
export const X_BUFFERS: usize = 20; // t_nr_buffers
export const X_HEAD: usize = 24; // metadata list, touch order
export const X_TAIL: usize = 28;
export const X_FORGET: usize = 32; // buffers filed by jbd2_journal_forget
export const X_FORGET_TAIL: usize = 36;
export const X_LOG_START: usize = 40;
export const X_LOG_IO: usize = 44; // log requests in flight
export const X_DATA_IO: usize = 48; // ordered data requests in flight
export const X_CP_HEAD: usize = 52; // t_checkpoint_list
export const X_CP_NEXT: usize = 56;
export const X_CP_PREV: usize = 60;
export const X_CP_COUNT: usize = 64;
export const X_FORCED: usize = 68;
export const X_WRITTEN: usize = 72;
export const X_DROPPED: usize = 76;
export const X_REVOKES: usize = 80;
export const X_START: usize = 88; // i64
export const X_EXPIRES: usize = 96; // i64
export const X_LOCKED: usize = 104; // i64
export const X_FLUSHED: usize = 112; // i64: left the running slot
export const X_SUBMITTED: usize = 120; // i64: log writes submitted, later: tail done
export const X_RECORD: usize = 128; // i64

export const RUNNING: i32 = 0;
export const LOCKED_STATE: i32 = 1;
export const SWITCH: i32 = 2;
export const FLUSH: i32 = 3;
export const COMMIT: i32 = 4;
export const DFLUSH: i32 = 5;
export const JFLUSH: i32 = 6;
export const CALLBACK: i32 = 7;
export const FINISHED: i32 = 8;

export let head: u32 = 1; // absolute log positions; the block is position mod (size - 1)
export let tail: u32 = 1;
export let tailTid: u32 = 2;
export let free: i32 = 0;
export let running: i32 = 0;
export let committing: i32 = 0;
export let nextTid: u32 = 2;
export let commitRequest: u32 = 1;
export let commitSequence: u32 = 1;
export let cpFirst: i32 = 0; // j_checkpoint_transactions
export let cpCount: i32 = 0;
export let cpBuffers: i32 = 0;
export let shrinkNext: i32 = 0; // j_shrink_transaction
export let averageCommit: i64 = 0;
export let lastCommit: i64 = 0;
export let lastSyncTask: i32 = -1;
export let fillRate: f64 = 0;
/** j_reserved_credits: part of the running transaction's outstanding ones. */
export let reserved: i32 = 0;
/** JBD2_FLUSHED: the superblock says that the log is empty. */
export let flushed: bool = true;
let mutexOwner: i32 = 0;
let timerArmed: bool = false;
let fillSince: i64 = 0;
let kjournaldIdle: bool = true;
let waitsFor: usize = 0;
let topTx: i32 = 1;
let freeTx: i32 = 0;

@inline export function X(x: i32): usize {
  return TXS + (<usize>x) * 192;
}
@inline export function tidOf(x: i32): u32 {
  return load<u32>(X(x));
}

export function resetJournal(): void {
  head = 1;
  tail = 1;
  tailTid = 2;
  free = infiniteLog ? MAX_RING - 1 : journalBlocks - 1;
  running = 0;
  committing = 0;
  nextTid = 2;
  commitRequest = 1;
  commitSequence = 1;
  cpFirst = 0;
  cpCount = 0;
  cpBuffers = 0;
  shrinkNext = 0;
  averageCommit = 0;
  lastCommit = 0;
  lastSyncTask = -1;
  fillRate = 0;
  reserved = 0;
  flushed = true;
  mutexOwner = 0;
  timerArmed = false;
  fillSince = 0;
  kjournaldIdle = true;
  waitsFor = 0;
  topTx = 1;
  freeTx = 0;
}

export function setInUse(): void {
  flushed = false;
}
export function setRunning(x: i32): void {
  running = x;
}
export function setCommitting(x: i32): void {
  committing = x;
}
export function setLastSync(t: i32): void {
  lastSyncTask = t;
}
export function setShrinkNext(x: i32): void {
  shrinkNext = x;
}
export function countCheckpointBuffers(n: i32): void {
  cpBuffers += n;
}

/** jbd2_log_space_left, not cut at zero (the comparisons are the same). */
export function spaceLeft(): i32 {
  if (infiniteLog) return 1 << 30;
  const toCome = committing != 0 ? load<i32>(X(committing), X_OUTSTANDING) : 0;
  return free - 32 - toCome;
}

export function reserve(credits: i32): void {
  reserved += credits;
}

/** jbd2_get_transaction: a new running transaction with its overhead reserved. */
export function newTransaction(): i32 {
  let x = freeTx;
  if (x != 0) {
    freeTx = load<i32>(X(x), X_CP_NEXT);
  } else {
    if (topTx >= MAX_TXS) {
      fail(ERR_TXS, topTx);
      return 0;
    }
    x = topTx++;
  }
  memory.fill(X(x), 0, 192);
  store<u32>(X(x), nextTid++);
  store<i32>(X(x), overhead + reserved, X_OUTSTANDING);
  store<i64>(X(x), now, X_START);
  store<i64>(X(x), now + commitInterval, X_EXPIRES);
  running = x;
  if (!timerArmed) {
    timerArmed = true;
    push(now + commitInterval, EV_TIMER, 0);
  }
  return x;
}
/** The commit timer: there is one, and it follows the running transaction. */
export function commitTimer(): void {
  timerArmed = false;
  if (running == 0) return;
  const expires = load<i64>(X(running), X_EXPIRES);
  if (now >= expires) {
    requestCommit(tidOf(running), 1);
  } else {
    timerArmed = true;
    push(expires, EV_TIMER, 0);
  }
}

/**
 * jbd2_log_start_commit: only the running transaction can be asked for. `reason`: see ST_REASON.
 */
export function requestCommit(tid: u32, reason: i32): void {
  if (running == 0 || tidOf(running) != tid || commitRequest == tid) return;
  commitRequest = tid;
  add(ST_REASON + reason, 1);
  if (kjournaldIdle) {
    kjournaldIdle = false;
    wake(kjournald);
  }
}
/** kjournald is about to sleep until the count in a field of transaction x is 0. */
export function kjournaldWaits(x: i32, field: usize): void {
  waitsFor = X(x) + field;
}
/** Counts down a field of transaction x that kjournald may wait for. */
export function countDown(x: i32, field: usize): void {
  const p = X(x) + field;
  const left = load<i32>(p) - 1;
  store<i32>(p, left);
  if (left != 0 || waitsFor != p) return;
  waitsFor = 0;
  wake(kjournald);
}
export function idleKjournald(t: i32): i32 {
  kjournaldIdle = true;
  return block(t, C_NONE);
}

/**
 * jbd2_journal_next_log_block: the next block of the log now holds buffer b (0 = control block).
 */
export function nextLogBlock(b: i32): u32 {
  if (!infiniteLog) {
    if (free <= 0) fail(ERR_LOG_FULL, <i32>head);
    free--;
  }
  judgeLogged(head, b);
  return head++;
}

// ---- checkpoint mutex: FIFO, handed to the longest waiting task
export function lockMutex(t: i32, cls: i32): bool {
  if (mutexOwner == 0) {
    mutexOwner = t + 1;
    return true;
  }
  blockOn(t, Q_MUTEX, cls);
  return false;
}
export function unlockMutex(t: i32): void {
  assert(mutexOwner == t + 1, "checkpoint mutex");
  const next = dequeue(Q_MUTEX);
  mutexOwner = next + 1;
  if (next >= 0) wake(next);
}

export function setTail(position: u32, tid: u32): void {
  free += <i32>(position - tail);
  tail = position;
  tailTid = tid;
}

/** Submits r and sleeps until it is done. */
export function waitFor(t: i32, r: i32, cls: i32): i32 {
  store<i32>(R(r), t + 1, R_TASK);
  submitQuiet(r);
  return block(t, cls);
}
// ---- list of checkpoint transactions
export function appendCheckpointTransaction(x: i32): void {
  cpCount++;
  if (cpFirst == 0) {
    cpFirst = x;
    store<i32>(X(x), x, X_CP_NEXT);
    store<i32>(X(x), x, X_CP_PREV);
    return;
  }
  const last = load<i32>(X(cpFirst), X_CP_PREV);
  store<i32>(X(x), cpFirst, X_CP_NEXT);
  store<i32>(X(x), last, X_CP_PREV);
  store<i32>(X(last), x, X_CP_NEXT);
  store<i32>(X(cpFirst), x, X_CP_PREV);
}
/** __jbd2_journal_drop_transaction */
export function dropTransaction(x: i32): void {
  note(DG_DROP, tidOf(x), load<u32>(X(x), X_WRITTEN));
  add(ST_CL_RELEASED, 1);
  shrinkNext = 0;
  cpCount--;
  const next = load<i32>(X(x), X_CP_NEXT);
  const prev = load<i32>(X(x), X_CP_PREV);
  store<i32>(X(prev), next, X_CP_NEXT);
  store<i32>(X(next), prev, X_CP_PREV);
  if (cpFirst == x) cpFirst = next == x ? 0 : next;
  store<u32>(X(x), 0);
  store<i32>(X(x), freeTx, X_CP_NEXT);
  freeTx = x;
}

export function commitDone(tid: u32, ns: i64, logged: i32): void {
  commitSequence = tid;
  committing = 0;
  lastCommit = ns;
  averageCommit = averageCommit != 0 ? (ns + averageCommit * 3) / 4 : ns;
  lastFill(logged);
}
function lastFill(logged: i32): void {
  const span = now - fillSince;
  fillSince = now;
  if (span <= 0) return;
  const rate = (<f64>logged * 1e9) / <f64>span;
  fillRate = fillRate == 0 ? rate : (rate + 3 * fillRate) / 4;
}
