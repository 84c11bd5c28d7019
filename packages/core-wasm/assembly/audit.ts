// The invariants, recomputed from scratch after every event of the debug build. Each has a number;
// a broken one ends the run.
//
//  1 free + used = size of the log
//  2 the tail and the head only move forward
//  3 the running transaction is not the committing one, and their tids are one apart
//  4 outstanding credits of the running transaction <= maximum transaction
//  5 a buffer is on at most one checkpoint list, the one its b_cp_transaction names; counts match
//  6 dirty and jbddirty exclude each other
//  7 a buffer on a transaction's list belongs to that transaction; the counts are right
//  8 the number of dirty buffers is right
//  9 checkpoint transactions are in tid order, and none is older than the tail
// 10 time never goes back
// 11 a buffer whose home write is in flight belongs to no transaction
import {
  B, B_CP_NEXT, B_CP_TX, B_NEXT_TX, B_TX, B_T_NEXT, DIRTY, JBDDIRTY, LOCKED, ON_FORGET, bufferTop,
  dirtyBuffers, flags,
} from "./buffer";
import { infiniteLog, journalBlocks, maxTransaction } from "./config";
import { now } from "./events";
import {
  X, X_BUFFERS, X_CP_COUNT, X_CP_HEAD, X_CP_NEXT, X_HEAD, X_OUTSTANDING, committing, cpCount,
  cpFirst, free, head, running, tail, tailTid, tidOf,
} from "./journal";

let lastTail: u32 = 0;
let lastHead: u32 = 0;
let lastTime: i64 = 0;

export function resetAudit(): void {
  lastTail = tail;
  lastHead = head;
  lastTime = 0;
}

/** The number of the first invariant that does not hold, 0 when all do. */
export function audit(): i32 {
  if (!infiniteLog && free + <i32>(head - tail) != journalBlocks - 1) return 1;
  if (tail < lastTail || head < lastHead) return 2;
  if (now < lastTime) return 10;
  lastTail = tail;
  lastHead = head;
  lastTime = now;
  if (running != 0 && committing != 0 && tidOf(running) != tidOf(committing) + 1) return 3;
  if (running != 0 && load<i32>(X(running), X_OUTSTANDING) > maxTransaction) return 4;
  const list = auditCheckpoint();
  if (list != 0) return list;
  if (running != 0 && !auditTransaction(running)) return 7;
  if (committing != 0 && !auditTransaction(committing)) return 7;
  return auditBuffers();
}

function auditCheckpoint(): i32 {
  let count = 0;
  let tid: u32 = 0;
  let x = cpFirst;
  while (x != 0) {
    if (tidOf(x) <= tid || (!infiniteLog && tidOf(x) < tailTid)) return 9;
    tid = tidOf(x);
    count++;
    if (!auditList(x)) return 5;
    x = load<i32>(X(x), X_CP_NEXT);
    if (x == cpFirst) break;
  }
  if (count != cpCount) return 9;
  return committing != 0 && !auditList(committing) ? 5 : 0;
}
function auditList(x: i32): bool {
  let count = 0;
  const first = load<i32>(X(x), X_CP_HEAD);
  let b = first;
  while (b != 0) {
    if (load<i32>(B(b), B_CP_TX) != x) return false;
    count++;
    b = load<i32>(B(b), B_CP_NEXT);
    if (b == first) break;
  }
  return count == load<i32>(X(x), X_CP_COUNT);
}
function auditTransaction(x: i32): bool {
  let count = 0;
  let b = load<i32>(X(x), X_HEAD);
  while (b != 0) {
    // While a commit releases its buffers they leave it one by one; their links stay until then.
    if (load<i32>(B(b), B_TX) != x) return x == committing;
    count++;
    b = load<i32>(B(b), B_T_NEXT);
  }
  return count == load<i32>(X(x), X_BUFFERS);
}
function auditBuffers(): i32 {
  let dirty = 0;
  let onLists = 0;
  for (let b = 1; b < bufferTop; b++) {
    if (load<i32>(B(b), B_TX) == -1) continue; // free record
    const f = flags(b);
    if ((f & (DIRTY | JBDDIRTY)) == (DIRTY | JBDDIRTY)) return 6;
    if ((f & DIRTY) != 0) dirty++;
    if ((f & LOCKED) != 0 && load<i32>(B(b), B_TX) != 0 && (f & ON_FORGET) == 0) return 11;
    if (load<i32>(B(b), B_TX) == 0 && load<i32>(B(b), B_NEXT_TX) != 0) return 7;
    if (load<i32>(B(b), B_CP_TX) != 0) onLists++;
  }
  if (onLists != listed()) return 5;
  return dirty == dirtyBuffers ? 0 : 8;
}
function listed(): i32 {
  let sum = committing != 0 ? load<i32>(X(committing), X_CP_COUNT) : 0;
  let x = cpFirst;
  while (x != 0) {
    sum += load<i32>(X(x), X_CP_COUNT);
    x = load<i32>(X(x), X_CP_NEXT);
    if (x == cpFirst) break;
  }
  return sum;
}
