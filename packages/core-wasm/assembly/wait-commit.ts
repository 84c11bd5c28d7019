// Waiting for a commit (journal.c: jbd2_log_wait_commit, jbd2_complete_transaction).
import { devCache } from "./config";
import { blockOn } from "./cpu";
import { JFLUSH, X, X_STATE, commitSequence, committing, requestCommit, tidOf } from "./journal";
import { P_WAIT_COMMIT } from "./states";
import { C_FSYNC, REASON_SYNC } from "./stats";
import { Q_DONE_COMMIT, T, T_CLASS2, T_TID, T_X, call, go, ret } from "./task";

// ---- jbd2_log_wait_commit: T_TID, T_CLASS2
export function waitCommit(t: i32): i32 {
  if (load<u32>(T(t), T_TID) <= commitSequence) return ret(t, 0);
  return blockOn(t, Q_DONE_COMMIT, load<i32>(T(t), T_CLASS2));
}

/**
 * jbd2_complete_transaction for tid T_TID, as ext4_sync_file calls it. Leaves in T_X whether a
 * flush has to follow because that commit will send no barrier any more. Goes on at `pc` when
 * there is nothing to wait for.
 */
export function completeTransaction(t: i32, pc: i32): i32 {
  const tid = load<u32>(T(t), T_TID);
  let barrier = false;
  if (tid > commitSequence) {
    const late = committing != 0 && load<i32>(X(committing), X_STATE) >= JFLUSH;
    barrier = !(late && tidOf(committing) == tid);
  }
  store<i32>(T(t), barrier || !devCache ? 0 : 1, T_X);
  if (tid <= commitSequence) return go(t, pc);
  requestCommit(tid, REASON_SYNC);
  store<i32>(T(t), C_FSYNC, T_CLASS2);
  return call(t, P_WAIT_COMMIT, pc);
}
