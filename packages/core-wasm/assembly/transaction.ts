// Handles (transaction.c): starting, getting access to buffers, stopping, fsync; and the reading of
// handle records.
import {
  B, B_BLOCK, B_CP_TX, B_NEXT_TX, B_TX, B_T_NEXT, B_T_PREV, DIRTY, FREED, FROZEN, JBDDIRTY, LOCKED,
  LOGGED, ON_FORGET, REVOKED, SHADOW, blockOnBuffer, clearDirty, flags, lookup, setFlags,
} from "./buffer";
import { removeCheckpoint } from "./cleanup";
import { closeLimit, conversionCredits, cpuFrozen, maxTransaction, threads } from "./config";
import { startReserved } from "./conversion";
import { blockOn, burst, sleep } from "./cpu";
import { judgeModified } from "./crash";
import { begin } from "./device";
import { DG_START, DG_STOP, TR_FREE, TR_JOIN, note, now, tell, tracing } from "./events";
import { setSyncTid } from "./inode";
import {
  RUNNING, X, X_BUFFERS, X_DATA_IO, X_EXPIRES, X_FORGET, X_FORGET_TAIL, X_HANDLES, X_HEAD,
  X_OUTSTANDING, X_REVOKES, X_START, X_STATE, X_TAIL, X_UPDATES, averageCommit, countDown,
  lastSyncTask, newTransaction, requestCommit, reserve, reserved, running, setLastSync, spaceLeft,
  tidOf,
} from "./journal";
import { ERR_CREDITS, ERR_TOO_LARGE, fail } from "./layout";
import { freeThreshold, policyDelay, policyFires } from "./policy";
import { P_ACCESS, P_STOP, P_STOP_SYNC, P_STOP_TAIL, P_WAIT_COMMIT, S_ENTER } from "./states";
import {
  C_BATCHING, C_DELAY, C_FSYNC, C_LOCKED_BUFFER, C_SHADOW, C_TX_LOCKED, REASON_FULL, REASON_SYNC,
  REASON_TIMER, ST_FROZEN, ST_HANDLES, ST_LONGEST, ST_TOUCHES, add, countWait, raise,
} from "./stats";
import {
  Q_RESERVED, Q_TX_LOCKED, T, T_ACC, T_ACC_END, T_ASKED, T_BODY, T_CLASS2, T_CREDITS, T_DELAYED,
  T_FLAGS, T_HWAIT, T_INO, T_INODE, T_PC, T_TID, T_TX, T_USED, T_Y, call, converter, go, ret,
} from "./task";
import { end, sync } from "./workload";

export const FLAG_SYNC: i32 = 1;
export const ACCESS_FORGET: u32 = 3;

// ---- add_transaction_credits: T_PC = P_START
export function startHandle(t: i32): i32 {
  if (policyDelay > 0 && load<i32>(T(t), T_DELAYED) == 0 && t < threads) {
    store<i32>(T(t), 1, T_DELAYED);
    return sleep(t, policyDelay, C_DELAY);
  }
  if (freeThreshold > 0 && load<i32>(T(t), T_ASKED) == 0 && spaceLeft() < freeThreshold) {
    if (policyFires(t)) return 0;
  }
  const x = running != 0 ? running : newTransaction();
  if (t == converter) return startReserved(t, x);
  if (load<i32>(X(x), X_STATE) != RUNNING) return blockOn(t, Q_TX_LOCKED, C_TX_LOCKED);
  const credits = load<i32>(T(t), T_CREDITS);
  const reserves = load<i32>(T(t), T_INO) != 0 ? conversionCredits : 0;
  const total = credits + reserves;
  const needed = load<i32>(X(x), X_OUTSTANDING) + total;
  const empty = load<i32>(X(x), X_HANDLES) == 0 && load<i32>(X(x), X_BUFFERS) == 0;
  if (needed > (empty ? maxTransaction : closeLimit)) {
    // What is reserved may be all that leaves no room.
    if (reserved > 0 && (empty || reserved + total > maxTransaction)) {
      return blockOn(t, Q_RESERVED, C_TX_LOCKED);
    }
    if (empty) {
      fail(ERR_TOO_LARGE, total);
      return 0;
    }
    requestCommit(tidOf(x), REASON_FULL);
    return blockOn(t, Q_TX_LOCKED, C_TX_LOCKED);
  }
  if (spaceLeft() < maxTransaction) return call(t, S_ENTER, load<i32>(T(t), T_PC));
  // At most half of a transaction may be reserved.
  if (reserves > 0 && reserved + reserves > maxTransaction >> 1) {
    return blockOn(t, Q_RESERVED, C_TX_LOCKED);
  }
  reserve(reserves);
  store<i32>(X(x), needed, X_OUTSTANDING);
  return join(t, x);
}
export function join(t: i32, x: i32): i32 {
  store<i32>(X(x), load<i32>(X(x), X_UPDATES) + 1, X_UPDATES);
  store<i32>(X(x), load<i32>(X(x), X_HANDLES) + 1, X_HANDLES);
  store<i32>(T(t), x, T_TX);
  store<i32>(T(t), 0, T_USED);
  note(DG_START, <u32>t, tidOf(x));
  return go(t, P_ACCESS);
}

// ---- accesses: the record's words are kind << 29 | block
export function accessBuffers(t: i32): i32 {
  const x = load<i32>(T(t), T_TX);
  const end = <usize>load<u32>(T(t), T_ACC_END);
  let p = <usize>load<u32>(T(t), T_ACC);
  const begin = p;
  let body = <i64>load<i32>(T(t), T_BODY);
  while (p < end) {
    const word = load<u32>(p);
    const b = lookup(word & 0x1fffffff);
    if (word >> 29 == ACCESS_FORGET) {
      if (tracing) tell(TR_FREE, load<u32>(B(b), B_BLOCK), tidOf(x));
      forget(t, b, x);
    } else if (load<i32>(B(b), B_TX) != x && load<i32>(B(b), B_NEXT_TX) != x) {
      const f = flags(b);
      if ((f & LOCKED) != 0) return waitAt(t, p, begin, body, b, C_LOCKED_BUFFER);
      if (load<i32>(B(b), B_TX) == 0) {
        joinRunning(b, x);
      } else {
        if ((f & (FROZEN | LOGGED)) == 0 && (f & ON_FORGET) == 0) {
          setFlags(b, f | FROZEN);
          add(ST_FROZEN, 1);
          body += cpuFrozen;
        } else if ((f & (SHADOW | FROZEN)) == SHADOW) {
          return waitAt(t, p, begin, body, b, C_SHADOW);
        }
        store<i32>(B(b), x, B_NEXT_TX);
      }
      setFlags(b, flags(b) & ~(FREED | REVOKED));
      judgeModified(b, tidOf(x));
      if (tracing) tell(TR_JOIN, load<u32>(B(b), B_BLOCK), tidOf(x));
      store<i32>(T(t), load<i32>(T(t), T_USED) + 1, T_USED);
    } else if ((flags(b) & REVOKED) != 0) {
      // What it freed it has to take again like any other buffer.
      const f = flags(b);
      if ((f & LOCKED) != 0) return waitAt(t, p, begin, body, b, C_LOCKED_BUFFER);
      if (load<i32>(B(b), B_TX) != x) {
        if ((f & (FROZEN | LOGGED | ON_FORGET)) == 0) {
          setFlags(b, f | FROZEN);
          add(ST_FROZEN, 1);
          body += cpuFrozen;
        } else if ((f & (SHADOW | FROZEN)) == SHADOW) {
          return waitAt(t, p, begin, body, b, C_SHADOW);
        }
      }
      unforget(t, b, x);
    }
    p += 4;
  }
  add(ST_TOUCHES, <f64>((p - begin) >> 2));
  store<u32>(T(t), <u32>p, T_ACC);
  return burst(t, body, P_STOP);
}
function waitAt(t: i32, p: usize, begin: usize, body: i64, b: i32, cls: i32): i32 {
  store<i32>(T(t), <i32>body, T_BODY);
  add(ST_TOUCHES, <f64>((p - begin) >> 2));
  store<u32>(T(t), <u32>p, T_ACC);
  return blockOnBuffer(t, b, cls);
}

/**
 * A buffer of no transaction joins the running one: dirty becomes jbddirty, from here on it looks
 * clean.
 */
function joinRunning(b: i32, x: i32): void {
  clearDirty(b);
  setFlags(b, (flags(b) | JBDDIRTY) & ~(LOGGED | ON_FORGET));
  fileMetadata(b, x);
}
export function fileMetadata(b: i32, x: i32): void {
  store<i32>(B(b), x, B_TX);
  store<i32>(B(b), 0, B_T_NEXT);
  const last = load<i32>(X(x), X_TAIL);
  store<i32>(B(b), last, B_T_PREV);
  if (last == 0) store<i32>(X(x), b, X_HEAD);
  else store<i32>(B(last), b, B_T_NEXT);
  store<i32>(X(x), b, X_TAIL);
  store<i32>(X(x), load<i32>(X(x), X_BUFFERS) + 1, X_BUFFERS);
}
function unfileMetadata(b: i32, x: i32): void {
  const next = load<i32>(B(b), B_T_NEXT);
  const prev = load<i32>(B(b), B_T_PREV);
  if (prev == 0) store<i32>(X(x), next, X_HEAD);
  else store<i32>(B(prev), next, B_T_NEXT);
  if (next == 0) store<i32>(X(x), prev, X_TAIL);
  else store<i32>(B(next), prev, B_T_PREV);
  store<i32>(X(x), load<i32>(X(x), X_BUFFERS) - 1, X_BUFFERS);
}
export function fileForget(b: i32, x: i32): void {
  store<i32>(B(b), x, B_TX);
  setFlags(b, flags(b) | ON_FORGET);
  store<i32>(B(b), 0, B_T_NEXT);
  const last = load<i32>(X(x), X_FORGET_TAIL);
  store<i32>(B(b), last, B_T_PREV);
  if (last == 0) store<i32>(X(x), b, X_FORGET);
  else store<i32>(B(last), b, B_T_NEXT);
  store<i32>(X(x), b, X_FORGET_TAIL);
}

/** jbd2_journal_revoke + jbd2_journal_forget: the block is freed by this handle. */
function forget(t: i32, b: i32, x: i32): void {
  const f = flags(b);
  const mine = load<i32>(B(b), B_TX) == x || load<i32>(B(b), B_NEXT_TX) == x;
  if (!mine || (f & REVOKED) == 0) {
    store<i32>(X(x), load<i32>(X(x), X_REVOKES) + 1, X_REVOKES);
    judgeModified(b, tidOf(x));
  }
  const owner = load<i32>(B(b), B_TX);
  if (owner == x) {
    if ((f & ON_FORGET) != 0) return;
    unfileMetadata(b, x);
    store<i32>(T(t), load<i32>(T(t), T_USED) - 1, T_USED);
    setFlags(b, (f & ~JBDDIRTY) | REVOKED);
    fileForget(b, x);
  } else if (owner != 0) {
    if (mine && (f & REVOKED) == 0) store<i32>(T(t), load<i32>(T(t), T_USED) - 1, T_USED);
    store<i32>(B(b), x, B_NEXT_TX);
    setFlags(b, f | FREED | REVOKED);
  } else {
    if (load<i32>(B(b), B_CP_TX) != 0 && (f & (DIRTY | LOCKED)) == 0) removeCheckpoint(b);
    clearDirty(b);
    setFlags(b, flags(b) | REVOKED);
    fileForget(b, x);
  }
}
/**
 * A block freed and taken again within one transaction: back to the metadata list, the revoke is
 * cancelled.
 */
function unforget(t: i32, b: i32, x: i32): void {
  const f = flags(b);
  store<i32>(X(x), load<i32>(X(x), X_REVOKES) - 1, X_REVOKES);
  judgeModified(b, tidOf(x));
  store<i32>(T(t), load<i32>(T(t), T_USED) + 1, T_USED);
  if (load<i32>(B(b), B_TX) != x) {
    setFlags(b, f & ~(FREED | REVOKED)); // still in the committing transaction, as next
    return;
  }
  const next = load<i32>(B(b), B_T_NEXT);
  const prev = load<i32>(B(b), B_T_PREV);
  if (prev == 0) store<i32>(X(x), next, X_FORGET);
  else store<i32>(B(prev), next, B_T_NEXT);
  if (next == 0) store<i32>(X(x), prev, X_FORGET_TAIL);
  else store<i32>(B(next), prev, B_T_PREV);
  setFlags(b, (f & ~(ON_FORGET | REVOKED | LOGGED | FREED)) | JBDDIRTY);
  fileMetadata(b, x);
}

// ---- jbd2_journal_stop: T_PC = P_STOP
export function stopHandle(t: i32): i32 {
  if ((load<i32>(T(t), T_FLAGS) & FLAG_SYNC) != 0 && lastSyncTask != t) {
    setLastSync(t);
    const x = load<i32>(T(t), T_TX);
    const limit: i64 = 15000000; // max_batch_time, 15 ms
    const wait = averageCommit < limit ? averageCommit : limit;
    if (now - load<i64>(X(x), X_START) < wait) {
      store<i32>(T(t), P_STOP_SYNC, T_PC);
      return sleep(t, wait, C_BATCHING);
    }
  }
  return go(t, P_STOP_SYNC);
}
export function stopUpdates(t: i32): i32 {
  const x = load<i32>(T(t), T_TX);
  const used = load<i32>(T(t), T_USED);
  const credits = load<i32>(T(t), T_CREDITS);
  const tid = tidOf(x);
  if (used > credits) {
    fail(ERR_CREDITS, used);
    return 0;
  }
  const sync = (load<i32>(T(t), T_FLAGS) & FLAG_SYNC) != 0;
  store<i32>(X(x), load<i32>(X(x), X_OUTSTANDING) - (credits - used), X_OUTSTANDING);
  const inode = load<i32>(T(t), T_INODE);
  if (inode != 0) setSyncTid(<u32>inode, tid);
  if (sync) {
    requestCommit(tid, REASON_SYNC);
  } else if (now >= load<i64>(X(x), X_EXPIRES)) {
    requestCommit(tid, REASON_TIMER);
  }
  if (load<i32>(T(t), T_INO) != 0 && conversionCredits == 0) {
    // Ordered data: its writes go out right after this handle, and the commit waits for them.
    store<i32>(X(x), load<i32>(X(x), X_DATA_IO) + 1, X_DATA_IO);
    store<i32>(T(t), x, T_Y);
  }
  countDown(x, X_UPDATES);
  note(DG_STOP, <u32>t, <u32>used);
  if (sync) {
    store<u32>(T(t), tid, T_TID);
    store<i32>(T(t), C_FSYNC, T_CLASS2);
    return call(t, P_WAIT_COMMIT, P_STOP_TAIL);
  }
  return go(t, P_STOP_TAIL);
}
export function stopDone(t: i32): i32 {
  store<i32>(T(t), 0, T_TX);
  store<i32>(T(t), 0, T_DELAYED);
  store<i32>(T(t), 0, T_ASKED);
  if (t < threads) {
    add(ST_HANDLES, 1);
    const waited = load<i64>(T(t), T_HWAIT);
    if (waited > 0) {
      countWait(waited);
      raise(ST_LONGEST, <f64>waited);
      store<i64>(T(t), 0, T_HWAIT);
    }
  }
  return ret(t, 0);
}
