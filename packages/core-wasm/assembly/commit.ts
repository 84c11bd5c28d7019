// kjournald: committing a transaction (commit.c: jbd2_journal_commit_transaction), phase by phase.
import { B, B_CP_TX, B_IO, B_T_NEXT, LOGGED, SHADOW, flags, setFlags } from "./buffer";
import { cleanByRule } from "./cleanup";
import {
  cleanBeforeTail, cpuCommit, cpuLog, cpuScan, devMerge, journalBlocks, tagsPerDescriptor,
  tailMinimum,
} from "./config";
import { block, burst, wakeAll } from "./cpu";
import {
  JOURNAL_LBA, R, RQ_LOG, RQ_RECORD, RQ_SUPER, R_BLOCKS, R_FIRST, R_LAST, R_LBA, R_PLAIN, R_TX,
  newRequest, submit,
} from "./device";
import { DG_COMMIT, note, now } from "./events";
import { beginForget } from "./forget";
import {
  COMMIT, DFLUSH, FLUSH, JFLUSH, LOCKED_STATE, SWITCH, X, X_BUFFERS, X_DATA_IO, X_FLUSHED,
  X_HANDLES, X_HEAD, X_LOCKED, X_LOG_IO, X_LOG_START, X_OUTSTANDING, X_RECORD, X_REVOKES, X_START,
  X_STATE, X_SUBMITTED, X_UPDATES, commitRequest, commitSequence, committing, flushed, head,
  idleKjournald, kjournaldWaits, lockMutex, nextLogBlock, reserved, running, setCommitting,
  setInUse, setRunning, tail, tailTid, tidOf, unlockMutex, waitFor,
} from "./journal";
import { POINT_COMMIT_STARTING, ask } from "./policy";
import {
  K_DATA, K_DROP, K_FLUSH, K_IO, K_LOCK, K_LOGGED, K_MARK, K_MARKED, K_GROUP, K_NEXT, K_RECORD,
  K_SWITCH, K_REVOKES, K_SENT, K_TAIL, K_UPDATE, K_UPDATED, K_UPDATES, U_ENTER,
} from "./states";
import {
  C_NONE, ST_COMMIT_BUFFERS, ST_COMMIT_HANDLES, ST_C_IOWAIT, ST_C_LOCK, ST_C_RECORD, ST_C_RUN,
  ST_C_SUBMIT, ST_LOGGED, ST_LOG_WRITES, ST_REJOINED, ST_TAIL_COMMIT, ST_TAIL_DECIDED,
  ST_TAIL_SMALL, add,
} from "./stats";
import { getLogTail, logTailPos, logTailTid } from "./tail";
import {
  Q_TX_LOCKED, T, T_BUF, T_I, T_PC, T_REQ, T_TAIL_POS, T_TAIL_TID, T_USED, T_X, T_Y, call, go,
} from "./task";

/**
 * Revoke records in one block: (4096 - header 16 - checksum tail 4) / 8 bytes with 64bit block
 * numbers.
 */
const REVOKES_PER_BLOCK: i32 = 509;

export function mark(x: i32, field: usize, from: usize, counter: i32): void {
  add(counter, <f64>(now - load<i64>(X(x) + from)));
  store<i64>(X(x) + field, now);
}
export function enter(x: i32, state: i32): void {
  store<i32>(X(x), state, X_STATE);
  note(DG_COMMIT, <u32>state, tidOf(x));
}
/** Sleeps until the count at (x, field) is 0; whoever brings it there wakes kjournald. */
function waitForZero(t: i32, x: i32, field: usize): i32 {
  kjournaldWaits(x, field);
  return block(t, C_NONE);
}

// ---- T_PC = K_LOOP: what there is to do
export function commitLoop(t: i32): i32 {
  if (commitRequest == commitSequence) return idleKjournald(t);
  store<i32>(T(t), K_DROP, T_PC);
  return ask(POINT_COMMIT_STARTING, t) ? 0 : 1;
}
// ---- the first commit after a mount: the superblock says where the log begins
export function commitMark(t: i32): i32 {
  const r = newRequest(RQ_SUPER, JOURNAL_LBA);
  store<i32>(R(r), 1, R_BLOCKS);
  store<i32>(R(r), 1, R_PLAIN);
  store<i32>(T(t), K_MARKED, T_PC);
  return waitFor(t, r, C_NONE);
}
export function commitMarked(t: i32): i32 {
  setInUse();
  unlockMutex(t);
  return go(t, K_LOCK);
}
// ---- phase 0: locked; open handles run to their end, new ones wait
export function commitLock(t: i32): i32 {
  if (flushed) {
    store<i32>(T(t), K_MARK, T_PC);
    return lockMutex(t, C_NONE) ? 1 : 0;
  }
  const x = running;
  enter(x, LOCKED_STATE);
  mark(x, X_LOCKED, X_START, ST_C_RUN);
  return burst(t, cpuCommit, K_UPDATES);
}
export function commitUpdates(t: i32): i32 {
  const x = running;
  if (load<i32>(X(x), X_UPDATES) > 0) return waitForZero(t, x, X_UPDATES);
  return go(t, K_SWITCH);
}
// ---- switch: the lists are cleaned (§7), before anything of this commit is durable
export function commitSwitch(t: i32): i32 {
  enter(running, SWITCH);
  add(ST_C_LOCK, <f64>(now - load<i64>(X(running), X_LOCKED)));
  return burst(t, cpuScan * <i64>cleanByRule(t), K_FLUSH);
}
// ---- flush: the running slot becomes free
export function commitFlush(t: i32): i32 {
  const x = running;
  enter(x, FLUSH);
  store<i64>(X(x), now, X_FLUSHED);
  store<u32>(X(x), head, X_LOG_START);
  // What is reserved will be claimed in the next transaction.
  store<i32>(X(x), load<i32>(X(x), X_OUTSTANDING) - reserved, X_OUTSTANDING);
  setCommitting(x);
  setRunning(0);
  wakeAll(Q_TX_LOCKED);
  add(ST_COMMIT_HANDLES, <f64>load<i32>(X(x), X_HANDLES));
  add(ST_COMMIT_BUFFERS, <f64>load<i32>(X(x), X_BUFFERS));
  enter(x, COMMIT);
  store<i32>(T(t), load<i32>(X(x), X_REVOKES), T_I);
  return go(t, K_REVOKES);
}
/** Revoke records go first. kjournald sleeps when the device has no tag for what it sends. */
export function commitRevokes(t: i32): i32 {
  const x = committing;
  let left = load<i32>(T(t), T_I);
  while (left > 0) {
    if (!makeRoom(t, x, logLba(head))) return 0;
    plugLog(t, x, logBlock(x, 0), 0);
    left -= REVOKES_PER_BLOCK;
    store<i32>(T(t), left, T_I);
  }
  store<i32>(T(t), 0, T_I);
  store<i32>(T(t), load<i32>(X(x), X_HEAD), T_BUF);
  return go(t, K_NEXT);
}
function logBlock(x: i32, b: i32): u32 {
  store<i32>(X(x), load<i32>(X(x), X_OUTSTANDING) - 1, X_OUTSTANDING);
  add(ST_LOGGED, 1);
  return nextLogBlock(b);
}
// ---- commit: every buffer goes to the log, a descriptor's worth at a time
export function commitNext(t: i32): i32 {
  return load<i32>(T(t), T_BUF) == 0 ? go(t, K_DATA) : burst(t, cpuLog, K_LOGGED);
}
export function commitLogged(t: i32): i32 {
  const x = committing;
  const b = load<i32>(T(t), T_BUF);
  if (load<i32>(T(t), T_I) == 0) {
    store<i32>(T(t), b, T_X); // first buffer of this descriptor
    store<u32>(T(t), logBlock(x, 0), T_Y);
  }
  if (load<i32>(B(b), B_CP_TX) != 0) add(ST_REJOINED, 1);
  setFlags(b, flags(b) | SHADOW | LOGGED);
  logBlock(x, b);
  store<i32>(T(t), load<i32>(T(t), T_I) + 1, T_I);
  const next = load<i32>(B(b), B_T_NEXT);
  store<i32>(T(t), next, T_BUF);
  if (next != 0 && load<i32>(T(t), T_I) < tagsPerDescriptor) return go(t, K_NEXT);
  store<i32>(T(t), -1, T_USED);
  return go(t, K_GROUP);
}
/** submit_bh for the descriptor (T_USED = -1) and its T_I buffers, under the commit's plug. */
export function commitGroup(t: i32): i32 {
  const x = committing;
  const last = load<i32>(T(t), T_I);
  for (let i = load<i32>(T(t), T_USED); i < last; i++) {
    store<i32>(T(t), i, T_USED);
    const position = load<u32>(T(t), T_Y) + <u32>(i + 1);
    if (!makeRoom(t, x, logLba(position))) return 0;
    const b = i < 0 ? 0 : load<i32>(T(t), T_X);
    plugLog(t, x, position, b);
    if (b != 0) store<i32>(T(t), load<i32>(B(b), B_T_NEXT), T_X);
  }
  store<i32>(T(t), 0, T_I);
  return go(t, K_NEXT);
}
@inline function logLba(position: u32): u32 {
  return JOURNAL_LBA + 1 + position % <u32>(journalBlocks - 1);
}
/** Sends what is plugged unless the block at `lba` can join it. False: it sleeps for a tag. */
function makeRoom(t: i32, x: i32, lba: u32): bool {
  const r = load<i32>(T(t), T_REQ);
  if (r == 0) return true;
  const n = load<i32>(R(r), R_BLOCKS);
  return (n < devMerge && load<u32>(R(r), R_LBA) + <u32>n == lba) || unplugLog(t, x);
}
/** One log block joins the plugged request, or begins one. */
function plugLog(t: i32, x: i32, position: u32, b: i32): void {
  let r = load<i32>(T(t), T_REQ);
  if (r == 0) {
    r = newRequest(RQ_LOG, logLba(position));
    store<i32>(R(r), x, R_TX);
    store<i32>(T(t), r, T_REQ);
  }
  store<i32>(R(r), load<i32>(R(r), R_BLOCKS) + 1, R_BLOCKS);
  if (b == 0) return;
  store<i32>(B(b), 0, B_IO);
  const last = load<i32>(R(r), R_LAST);
  if (last == 0) store<i32>(R(r), b, R_FIRST);
  else store<i32>(B(last), b, B_IO);
  store<i32>(R(r), b, R_LAST);
}
function unplugLog(t: i32, x: i32): bool {
  const r = load<i32>(T(t), T_REQ);
  if (r == 0) return true;
  store<i32>(T(t), 0, T_REQ);
  store<i32>(X(x), load<i32>(X(x), X_LOG_IO) + 1, X_LOG_IO);
  add(ST_LOG_WRITES, <f64>load<i32>(R(r), R_BLOCKS));
  return submit(t, r, C_NONE);
}
// ---- ordered data has to be on the device; a task that sleeps sends its plug
export function commitData(t: i32): i32 {
  const x = committing;
  if (load<i32>(X(x), X_DATA_IO) > 0) {
    if (!unplugLog(t, x)) return 0;
    return waitForZero(t, x, X_DATA_IO);
  }
  return cleanBeforeTail ? burst(t, cpuScan * <i64>cleanByRule(t), K_TAIL) : go(t, K_TAIL);
}
// ---- the new tail is computed before the forget list is processed: what that releases is for the
// next commit
export function commitTail(t: i32): i32 {
  const x = committing;
  store<u32>(T(t), 0, T_TAIL_TID);
  if (getLogTail()) {
    if (<i32>(logTailPos - tail) >= tailMinimum) {
      store<u32>(T(t), logTailTid, T_TAIL_TID);
      store<u32>(T(t), logTailPos, T_TAIL_POS);
      add(ST_TAIL_DECIDED, 1);
    } else {
      add(ST_TAIL_SMALL, 1);
    }
  }
  enter(x, DFLUSH);
  store<i32>(T(t), K_SENT, T_PC);
  return unplugLog(t, x) ? 1 : 0;
}
export function commitSent(t: i32): i32 {
  mark(committing, X_SUBMITTED, X_FLUSHED, ST_C_SUBMIT);
  return go(t, K_IO);
}
export function commitIo(t: i32): i32 {
  const x = committing;
  if (load<i32>(X(x), X_LOG_IO) > 0) return waitForZero(t, x, X_LOG_IO);
  // commit record, with preflush and FUA
  enter(x, JFLUSH);
  add(ST_C_IOWAIT, <f64>(now - load<i64>(X(x), X_SUBMITTED)));
  store<i64>(X(x), now, X_RECORD);
  const position = logBlock(x, 0);
  const r = newRequest(RQ_RECORD, JOURNAL_LBA + 1 + position % <u32>(journalBlocks - 1));
  store<i32>(R(r), 1, R_BLOCKS);
  store<i32>(R(r), x, R_TX);
  add(ST_LOG_WRITES, 1);
  store<i32>(T(t), K_RECORD, T_PC);
  return waitFor(t, r, C_NONE);
}
export function commitRecord(t: i32): i32 {
  const x = committing;
  mark(x, X_RECORD, X_RECORD, ST_C_RECORD);
  if (load<u32>(T(t), T_TAIL_TID) == 0) return beginForget(t);
  store<i32>(T(t), K_UPDATE, T_PC);
  return lockMutex(t, C_NONE) ? 1 : 0;
}
// ---- jbd2_update_log_tail: a handle may have been faster
export function commitUpdateTail(t: i32): i32 {
  if (load<u32>(T(t), T_TAIL_TID) <= tailTid) return go(t, K_UPDATED);
  add(ST_TAIL_COMMIT, 1);
  return call(t, U_ENTER, K_UPDATED);
}
export function commitTailUpdated(t: i32): i32 {
  unlockMutex(t);
  return beginForget(t);
}
