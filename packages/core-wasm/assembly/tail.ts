// The tail of the log (journal.c): where it could go, and moving it there: flush, superblock with
// FUA, then the space is free.
import { devCache, infiniteLog, threads } from "./config";
import { judgeTailDurable, judgeTailSubmitted } from "./crash";
import { JOURNAL_LBA, R, RQ_FLUSH, RQ_SUPER, R_BLOCKS, newRequest } from "./device";
import { DG_TAIL, TR_LOG, note, tell, tracing } from "./events";
import {
  X, X_LOG_START, committing, cpFirst, head, nextTid, running, setTail, tail, tailTid, tidOf,
  waitFor,
} from "./journal";
import { U_ENTER, U_WRITTEN } from "./states";
import {
  C_NONE, C_TAIL_FLUSH, ST_TAIL_BLOCKS, ST_TAIL_FLUSHER, ST_TAIL_KJOURNALD, ST_TAIL_THREAD,
  ST_TAIL_WORKER, add,
} from "./stats";
import { T, T_PC, T_TAIL_POS, T_TAIL_TID, flusher, ret, worker } from "./task";

export let logTailTid: u32 = 0;
export let logTailPos: u32 = 0;
/**
 * jbd2_journal_get_log_tail: true when the tail could move; the new one is in logTailTid,
 * logTailPos.
 */
export function getLogTail(): bool {
  if (infiniteLog) return false;
  if (cpFirst != 0) {
    logTailTid = tidOf(cpFirst);
    logTailPos = load<u32>(X(cpFirst), X_LOG_START);
  } else if (committing != 0) {
    logTailTid = tidOf(committing);
    logTailPos = load<u32>(X(committing), X_LOG_START);
  } else if (running != 0) {
    logTailTid = tidOf(running);
    logTailPos = head;
  } else {
    logTailTid = nextTid;
    logTailPos = head;
  }
  return logTailTid > tailTid;
}

/**
 * __jbd2_update_log_tail, first half: the superblock goes out with FUA. T_TAIL_TID and T_TAIL_POS
 * say where to.
 */
export function updateTail(t: i32): i32 {
  judgeTailSubmitted(tail, load<u32>(T(t), T_TAIL_POS), load<u32>(T(t), T_TAIL_TID));
  const r = newRequest(RQ_SUPER, JOURNAL_LBA);
  store<i32>(R(r), 1, R_BLOCKS);
  store<i32>(T(t), U_WRITTEN, T_PC);
  return waitFor(t, r, t < threads ? C_TAIL_FLUSH : C_NONE);
}
/** Second half: the space is free. Returns to the caller with 0. */
export function tailWritten(t: i32): i32 {
  const to = load<u32>(T(t), T_TAIL_POS);
  const tid = load<u32>(T(t), T_TAIL_TID);
  const freed = to - tail;
  judgeTailDurable(to);
  setTail(to, tid);
  note(DG_TAIL, tid, freed);
  if (tracing) tell(TR_LOG, head, head - tail);
  add(ST_TAIL_BLOCKS, <f64>freed);
  if (t < threads) add(ST_TAIL_THREAD, 1);
  else if (t == flusher) add(ST_TAIL_FLUSHER, 1);
  else if (t == worker) add(ST_TAIL_WORKER, 1);
  else add(ST_TAIL_KJOURNALD, 1);
  return ret(t, 0);
}


// ---- jbd2_cleanup_journal_tail: T_PC = C_ENTER, mutex held; returns 0 moved, 1 nothing to move
export function cleanupTail(t: i32): i32 {
  if (!getLogTail()) return ret(t, 1);
  store<u32>(T(t), logTailTid, T_TAIL_TID);
  store<u32>(T(t), logTailPos, T_TAIL_POS);
  store<i32>(T(t), U_ENTER, T_PC);
  if (!devCache) return 1;
  return waitFor(t, newRequest(RQ_FLUSH, 0), t < threads ? C_TAIL_FLUSH : C_NONE);
}
