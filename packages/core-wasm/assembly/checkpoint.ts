// Checkpointing (checkpoint.c): the lists, the cleanup rule, waiting for log space, writing the
// oldest transaction home.

// ---- __jbd2_log_wait_for_space: T_PC = S_ENTER; returns when a maximum transaction has room
import { B, B_CP_NEXT, B_TX, DIRTY, LOCKED, blockOnBuffer, flags } from "./buffer";
import { removeCheckpoint } from "./cleanup";
import { cpuCheckpoint, cpuScan, maxTransaction, threads } from "./config";
import { burst, needResched } from "./cpu";
import { submit } from "./device";
import { now } from "./events";
import {
  X, X_CP_HEAD, X_FORCED, X_WRITTEN, committing, cpFirst, lockMutex, requestCommit, spaceLeft,
  tidOf, unlockMutex,
} from "./journal";
import { BATCH, ERR_NO_SPACE, fail } from "./layout";
import { plugHome, unplug } from "./plug";
import {
  B_NEXT, C_ENTER, D_BEGIN, D_BUFFER, D_COMMIT, D_ENTER, D_LEAVE, D_OUT, D_RELOCK, D_RESTART,
  D_WAITED, P_WAIT_COMMIT, S_CHECK, S_CLEANED, S_LOCKED, S_UNLOCK,
} from "./states";
import {
  C_FORCED_COMMIT, C_HOME_WRITES, C_MUTEX, C_WAIT_COMMITTING, REASON_CHECKPOINT, ST_CP_CALLS,
  ST_CP_WRITES, ST_CWAIT_N, ST_CWAIT_NS, ST_FORCED, ST_HW_CHECKPOINT, ST_SPACE_MAX, ST_SPACE_N,
  ST_SPACE_NS, add, raise,
} from "./stats";
import {
  T, T_BUF, T_CLASS2, T_COMMIT0, T_CP_TID, T_CP_TX, T_I, T_PC, T_REQ, T_RET, T_SPACE0, T_TID, T_X,
  call, go, ret,
} from "./task";

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
      return cost(t, looked, D_BUFFER);
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
    if (batchCount == 64 || next == load<i32>(BATCH) || needResched(t)) {
      return flushThen(t, looked, D_RESTART);
    }
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
  store<i32>(T(t), D_WAITED, T_PC);
  if ((flags(b) & LOCKED) == 0) return 1;
  return blockOnBuffer(t, b, C_HOME_WRITES);
}
/** Only after the wait is the batch submitted (`goto retry`). */
export function checkpointWaited(t: i32): i32 {
  return flushThen(t, 0, D_RESTART);
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
