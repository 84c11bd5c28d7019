// Checkpointing (checkpoint.c): the lists, the cleanup rule, waiting for log space, writing the oldest transaction home.
import {
  B, B_BLOCK, B_CP_NEXT, B_CP_PREV, B_CP_TX, B_IO, B_TX, DIRTY, LOCKED, blockOnBuffer, clearDirty, flags, setFlags,
} from "./buffer";
import { checkRejoined, cpuCheckpoint, cpuScan, devCache, devMerge, maxTransaction, skipBusy, threads } from "./config";
import { judgeHomeSubmitted } from "./crash";
import { R, R_BLOCKS, R_FIRST, R_LAST, R_LBA, RQ_FLUSH, RQ_HOME, newRequest, submit } from "./device";
import { now } from "./events";
import { BATCH, ERR_NO_SPACE, fail } from "./layout";
import {
  FINISHED, X, X_CP_COUNT, X_CP_HEAD, X_CP_NEXT, X_CP_PREV, X_FORCED, X_STATE, X_WRITTEN, committing,
  countCheckpointBuffers, cpFirst, dropTransaction, getLogTail, lockMutex, logTailPos, logTailTid, requestCommit,
  setShrinkNext, shrinkNext, spaceLeft, tidOf, unlockMutex, waitFor,
} from "./journal";
import {
  C_FORCED_COMMIT, C_HOME_WRITES, C_MUTEX, C_NONE, C_TAIL_FLUSH, C_WAIT_COMMITTING, REASON_CHECKPOINT, ST_CL_FREED,
  ST_CL_FREED_REJOINED, ST_CL_SCANNED, ST_CL_STOP_DIRTY, ST_CL_STOP_LOCKED, ST_CL_STOP_REJOINED, ST_CP_CALLS,
  ST_CP_DROPPED, ST_CP_WRITES, ST_CWAIT_N, ST_CWAIT_NS, ST_FORCED, ST_HW_CHECKPOINT, ST_SHRUNK, ST_SPACE_MAX,
  ST_SPACE_N, ST_SPACE_NS, add, raise,
} from "./stats";
import {
  B_NEXT, C_ENTER, C_FLUSHED, D_BEGIN, D_BUFFER, D_COMMIT, D_ENTER, D_LEAVE, D_OUT, D_RELOCK, D_RESTART, P_WAIT_COMMIT,
  S_CHECK, S_CLEANED, S_LOCKED, S_UNLOCK, T, T_BUF, T_CLASS2, T_COMMIT0, T_CP_TID, T_CP_TX, T_I, T_PC, T_REQ, T_RET,
  T_SPACE0, T_TAIL_POS, T_TAIL_TID, T_TID, T_X, U_ENTER, burst, call, go, ret,
} from "./task";

// ---- lists
/** __jbd2_journal_insert_checkpoint: at the head, so the first-touched buffer ends up there. */
export function insertCheckpoint(b: i32, x: i32): void {
  store<i32>(B(b), x, B_CP_TX);
  const first = load<i32>(X(x), X_CP_HEAD);
  if (first == 0) {
    store<i32>(B(b), b, B_CP_NEXT);
    store<i32>(B(b), b, B_CP_PREV);
  } else {
    const last = load<i32>(B(first), B_CP_PREV);
    store<i32>(B(b), first, B_CP_NEXT);
    store<i32>(B(b), last, B_CP_PREV);
    store<i32>(B(last), b, B_CP_NEXT);
    store<i32>(B(first), b, B_CP_PREV);
  }
  store<i32>(X(x), b, X_CP_HEAD);
  store<i32>(X(x), load<i32>(X(x), X_CP_COUNT) + 1, X_CP_COUNT);
  countCheckpointBuffers(1);
}
/** __jbd2_journal_remove_checkpoint: true when that dropped the transaction. */
export function removeCheckpoint(b: i32): bool {
  const x = load<i32>(B(b), B_CP_TX);
  const next = load<i32>(B(b), B_CP_NEXT);
  const prev = load<i32>(B(b), B_CP_PREV);
  store<i32>(B(prev), next, B_CP_NEXT);
  store<i32>(B(next), prev, B_CP_PREV);
  if (load<i32>(X(x), X_CP_HEAD) == b) store<i32>(X(x), next == b ? 0 : next, X_CP_HEAD);
  store<i32>(B(b), 0, B_CP_TX);
  store<i32>(X(x), load<i32>(X(x), X_CP_COUNT) - 1, X_CP_COUNT);
  countCheckpointBuffers(-1);
  if (load<i32>(X(x), X_CP_HEAD) != 0 || load<i32>(X(x), X_STATE) != FINISHED) return false;
  dropTransaction(x);
  return true;
}

// ---- the cleanup rule
const BUSY: i32 = -1;
/** jbd2_journal_try_remove_checkpoint under the world's rule: BUSY, 0 removed, 1 removed and transaction dropped. */
function tryRemove(b: i32): i32 {
  const rejoined = load<i32>(B(b), B_TX) != 0;
  if (checkRejoined && rejoined) {
    add(ST_CL_STOP_REJOINED, 1);
    return BUSY;
  }
  const f = flags(b);
  if ((f & LOCKED) != 0) {
    add(ST_CL_STOP_LOCKED, 1);
    return BUSY;
  }
  if ((f & DIRTY) != 0) {
    add(ST_CL_STOP_DIRTY, 1);
    return BUSY;
  }
  if (rejoined) add(ST_CL_FREED_REJOINED, 1);
  return removeCheckpoint(b) ? 1 : 0;
}

let scanBudget: i32 = 0;
let scanned: i32 = 0;
let freed: i32 = 0;
let released: bool = false;
/** journal_shrink_one_cp_list */
function cleanOne(first: i32, skip: bool): void {
  released = false;
  if (first == 0) return;
  const last = load<i32>(B(first), B_CP_PREV);
  let next = first;
  let b = 0;
  do {
    b = next;
    next = load<i32>(B(b), B_CP_NEXT);
    if (scanBudget-- <= 0) return;
    scanned++;
    const r = tryRemove(b);
    if (r == BUSY) {
      if (skip) continue;
      return;
    }
    freed++;
    if (r == 1) {
      released = true;
      return;
    }
  } while (b != last);
}
/** __jbd2_journal_clean_checkpoint_list. Returns the number of buffers looked at. */
export function cleanLists(skip: bool, budget: i32): i32 {
  scanned = 0;
  freed = 0;
  scanBudget = budget;
  if (cpFirst != 0) {
    const last = load<i32>(X(cpFirst), X_CP_PREV);
    let next = cpFirst;
    let x = 0;
    do {
      x = next;
      next = load<i32>(X(x), X_CP_NEXT);
      cleanOne(load<i32>(X(x), X_CP_HEAD), skip);
      if (!released || scanBudget <= 0) break;
    } while (x != last);
  }
  add(ST_CL_SCANNED, <f64>scanned);
  add(ST_CL_FREED, <f64>freed);
  return scanned;
}
export function cleanByRule(): i32 {
  return cleanLists(skipBusy, i32.MAX_VALUE);
}
/** jbd2_journal_shrink_checkpoint_list: every list, skipping busy buffers, until `count` were freed. */
export function shrinkLists(count: i32): i32 {
  let looked = 0;
  let left = count;
  if (cpFirst == 0) return 0;
  let x = shrinkNext != 0 ? shrinkNext : cpFirst;
  const last = load<i32>(X(cpFirst), X_CP_PREV);
  while (true) {
    const next = load<i32>(X(x), X_CP_NEXT);
    const isLast = x == last;
    scanned = 0;
    freed = 0;
    scanBudget = i32.MAX_VALUE;
    cleanOne(load<i32>(X(x), X_CP_HEAD), true);
    looked += scanned;
    left -= freed;
    add(ST_SHRUNK, <f64>freed);
    setShrinkNext(isLast || cpFirst == 0 ? 0 : next);
    if (isLast || left <= 0 || cpFirst == 0) break;
    x = next;
  }
  return looked;
}

// ---- __jbd2_log_wait_for_space: called with T_PC = S_ENTER, returns when there is room for a maximum transaction
export function waitForSpace(t: i32): i32 {
  store<i64>(T(t), now, T_SPACE0);
  return go(t, S_CHECK);
}
export function spaceCheck(t: i32): i32 {
  if (spaceLeft() >= maxTransaction) {
    if (t < threads) {
      const ns = <f64>(now - load<i64>(T(t), T_SPACE0));
      add(ST_SPACE_N, 1);
      add(ST_SPACE_NS, ns);
      raise(ST_SPACE_MAX, ns);
    }
    return ret(t, 0);
  }
  store<i32>(T(t), S_LOCKED, T_PC);
  return lockMutex(t, C_MUTEX) ? 1 : 0;
}
export function spaceLocked(t: i32): i32 {
  if (spaceLeft() >= maxTransaction) return go(t, S_UNLOCK);
  store<i32>(T(t), committing != 0 ? <i32>tidOf(committing) : 0, T_X);
  if (cpFirst != 0) return call(t, D_ENTER, S_UNLOCK);
  return call(t, C_ENTER, S_CLEANED);
}
export function spaceCleaned(t: i32): i32 {
  if (load<i32>(T(t), T_RET) <= 0) return go(t, S_UNLOCK);
  const tid = load<i32>(T(t), T_X);
  if (tid == 0) {
    fail(ERR_NO_SPACE, spaceLeft());
    return 0;
  }
  unlockMutex(t);
  store<i32>(T(t), tid, T_TID);
  store<i32>(T(t), C_WAIT_COMMITTING, T_CLASS2);
  return call(t, P_WAIT_COMMIT, S_CHECK);
}
export function spaceUnlock(t: i32): i32 {
  unlockMutex(t);
  return go(t, S_CHECK);
}

// ---- jbd2_log_do_checkpoint: T_PC = D_ENTER, the mutex is held
let batchCount: i32 = 0;
export function resetCheckpoint(): void {
  batchCount = 0;
}
export function checkpointEnter(t: i32): i32 {
  add(ST_CP_CALLS, 1);
  return call(t, C_ENTER, D_BEGIN);
}
export function checkpointBegin(t: i32): i32 {
  const r = load<i32>(T(t), T_RET);
  if (r <= 0) return ret(t, r);
  if (cpFirst == 0) return go(t, D_OUT);
  store<i32>(T(t), cpFirst, T_CP_TX);
  store<u32>(T(t), tidOf(cpFirst), T_CP_TID);
  return go(t, D_RESTART);
}
@inline function cost(t: i32, looked: i32, pc: i32): i32 {
  return burst(t, cpuScan * <i64>looked, pc);
}
function flushThen(t: i32, looked: i32, pc: i32): i32 {
  if (batchCount == 0) return cost(t, looked, pc);
  store<i32>(T(t), 0, T_I);
  call(t, B_NEXT, pc);
  return cost(t, looked, B_NEXT);
}
/** Walks the oldest transaction's list from its head until it has to wait or a batch is full. */
export function checkpointWalk(t: i32): i32 {
  const x = load<i32>(T(t), T_CP_TX);
  if (cpFirst != x || tidOf(x) != load<u32>(T(t), T_CP_TID)) return go(t, D_OUT);
  let looked = 0;
  while (load<i32>(X(x), X_CP_HEAD) != 0) {
    const b = load<i32>(X(x), X_CP_HEAD);
    looked++;
    const owner = load<i32>(B(b), B_TX);
    if (owner != 0) {
      store<i32>(X(x), load<i32>(X(x), X_FORCED) + 1, X_FORCED);
      add(ST_FORCED, 1);
      store<u32>(T(t), tidOf(owner), T_TID);
      return flushThen(t, looked, D_COMMIT);
    }
    const f = flags(b);
    if ((f & LOCKED) != 0) {
      store<i32>(T(t), b, T_BUF);
      return flushThen(t, looked, D_BUFFER);
    }
    if ((f & DIRTY) == 0) {
      if (removeCheckpoint(b) || load<i32>(X(x), X_CP_HEAD) == 0) return cost(t, looked, D_OUT);
      if (batchCount > 0 && load<i32>(X(x), X_CP_HEAD) == load<i32>(BATCH)) {
        return flushThen(t, looked, D_RESTART);
      }
      continue;
    }
    store<i32>(BATCH + ((<usize>batchCount) << 2), b);
    batchCount++;
    store<i32>(X(x), load<i32>(X(x), X_WRITTEN) + 1, X_WRITTEN);
    add(ST_CP_WRITES, 1);
    const next = load<i32>(B(b), B_CP_NEXT);
    store<i32>(X(x), next, X_CP_HEAD);
    if (batchCount == 64 || next == load<i32>(BATCH)) return flushThen(t, looked, D_RESTART);
  }
  return flushThen(t, looked, D_OUT);
}
export function checkpointCommit(t: i32): i32 {
  requestCommit(load<u32>(T(t), T_TID), REASON_CHECKPOINT);
  unlockMutex(t);
  store<i32>(T(t), C_FORCED_COMMIT, T_CLASS2);
  store<i64>(T(t), now, T_COMMIT0);
  return call(t, P_WAIT_COMMIT, D_RELOCK);
}
export function checkpointRelock(t: i32): i32 {
  if (t < threads) {
    add(ST_CWAIT_N, 1);
    add(ST_CWAIT_NS, <f64>(now - load<i64>(T(t), T_COMMIT0)));
  }
  store<i32>(T(t), D_RESTART, T_PC);
  return lockMutex(t, C_MUTEX) ? 1 : 0;
}
export function checkpointBuffer(t: i32): i32 {
  const b = load<i32>(T(t), T_BUF);
  store<i32>(T(t), D_RESTART, T_PC);
  if ((flags(b) & LOCKED) == 0) return 1;
  return blockOnBuffer(t, b, C_HOME_WRITES);
}
export function checkpointOut(t: i32): i32 {
  return call(t, C_ENTER, D_LEAVE);
}
export function checkpointLeave(t: i32): i32 {
  return ret(t, 0);
}

// ---- __flush_batch: write_dirty_buffer for each, plugged
export function flushBatch(t: i32): i32 {
  const i = load<i32>(T(t), T_I);
  if (i >= batchCount) {
    const r = load<i32>(T(t), T_REQ);
    batchCount = 0;
    if (r != 0) {
      store<i32>(T(t), 0, T_REQ);
      ret(t, 0);
      return submit(t, r, C_HOME_WRITES) ? 1 : 0;
    }
    return ret(t, 0);
  }
  const b = load<i32>(BATCH + ((<usize>i) << 2));
  if ((flags(b) & LOCKED) != 0) {
    if (!unplug(t, C_HOME_WRITES)) return 0;
    return blockOnBuffer(t, b, C_HOME_WRITES);
  }
  if ((flags(b) & DIRTY) != 0 && load<i32>(B(b), B_TX) == 0) {
    if (!plugHome(t, b, C_HOME_WRITES)) return 0;
    add(ST_HW_CHECKPOINT, 1);
  }
  store<i32>(T(t), i + 1, T_I);
  return burst(t, cpuCheckpoint, B_NEXT);
}

// ---- home writes of any task go through its plug: adjacent blocks merge into one request
/** Sends what is plugged. False: the task was blocked for a tag (and will find the plug empty). */
export function unplug(t: i32, cls: i32): bool {
  const r = load<i32>(T(t), T_REQ);
  if (r == 0) return true;
  store<i32>(T(t), 0, T_REQ);
  return submit(t, r, cls);
}
/** Adds the home write of b. False: blocked for a tag before b was added; the caller runs again. */
export function plugHome(t: i32, b: i32, cls: i32): bool {
  const block = load<u32>(B(b), B_BLOCK);
  let r = load<i32>(T(t), T_REQ);
  if (r != 0) {
    const n = load<i32>(R(r), R_BLOCKS);
    if (n < devMerge && load<u32>(R(r), R_LBA) + <u32>n == block) {
      store<i32>(B(load<i32>(R(r), R_LAST)), b, B_IO);
      store<i32>(R(r), b, R_LAST);
      store<i32>(R(r), n + 1, R_BLOCKS);
      lockHome(b);
      return true;
    }
    if (!unplug(t, cls)) return false;
  }
  r = newRequest(RQ_HOME, block);
  store<i32>(R(r), 1, R_BLOCKS);
  store<i32>(R(r), b, R_FIRST);
  store<i32>(R(r), b, R_LAST);
  store<i32>(T(t), r, T_REQ);
  lockHome(b);
  return true;
}
function lockHome(b: i32): void {
  store<i32>(B(b), 0, B_IO);
  clearDirty(b);
  setFlags(b, flags(b) | LOCKED);
  judgeHomeSubmitted(b);
}

// ---- jbd2_cleanup_journal_tail: T_PC = C_ENTER, mutex held; returns 0 moved, 1 nothing to move
export function cleanupTail(t: i32): i32 {
  if (!getLogTail()) return ret(t, 1);
  store<u32>(T(t), logTailTid, T_TAIL_TID);
  store<u32>(T(t), logTailPos, T_TAIL_POS);
  store<i32>(T(t), C_FLUSHED, T_PC);
  if (!devCache) return 1;
  return waitFor(t, newRequest(RQ_FLUSH, 0), t < threads ? C_TAIL_FLUSH : C_NONE);
}
export function tailFlushed(t: i32): i32 {
  return go(t, U_ENTER);
}

/** Dirty, clean and rejoined buffers of the oldest checkpoint transaction, for a policy's view. */
export let oldestRejoined: i32 = 0;
export let oldestDirty: i32 = 0;
export let oldestClean: i32 = 0;
export function countOldest(): void {
  oldestRejoined = 0;
  oldestDirty = 0;
  oldestClean = 0;
  if (cpFirst == 0) return;
  const first = load<i32>(X(cpFirst), X_CP_HEAD);
  let b = first;
  while (b != 0) {
    if (load<i32>(B(b), B_TX) != 0) oldestRejoined++;
    else if ((flags(b) & (DIRTY | LOCKED)) != 0) oldestDirty++;
    else oldestClean++;
    b = load<i32>(B(b), B_CP_NEXT);
    if (b == first) break;
  }
}
