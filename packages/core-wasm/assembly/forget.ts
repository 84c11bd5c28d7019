// The end of a commit (commit.c, phase 6 and 7): its buffers leave it, it becomes a checkpoint
// transaction.
import {
  B, B_CP_TX, B_NEXT_TX, B_TX, B_T_NEXT, B_T_PREV, FREED, FROZEN, JBDDIRTY, LOGGED, ON_FORGET,
  REVOKED, SHADOW, flags, setDirty, setFlags,
} from "./buffer";
import { insertCheckpoint, removeCheckpoint } from "./cleanup";
import { enter, mark } from "./commit";
import { cpuForget } from "./config";
import { burst, wakeAll } from "./cpu";
import { TR_LOG, now, tell, tracing } from "./events";
import {
  FINISHED, X, X_CP_HEAD, X_FLUSHED, X_FORGET, X_LOCKED, X_LOG_START, X_RECORD, X_SUBMITTED, X_TAIL,
  appendCheckpointTransaction, commitDone, committing, dropTransaction, head, tail, tidOf,
} from "./journal";
import { dirtyBdevPage } from "./pages";
import { K_FINISH, K_FORGET, K_WRITE_HOME } from "./states";
import { ST_COMMITS, ST_CP_DROPPED, ST_C_FORGET, ST_C_TAIL, ST_C_TOTAL, add } from "./stats";
import { Q_DONE_COMMIT, T, T_BUF, go } from "./task";
import { fileForget, fileMetadata } from "./transaction";

export function beginForget(t: i32): i32 {
  const x = committing;
  mark(x, X_SUBMITTED, X_RECORD, ST_C_TAIL);
  const forgotten = load<i32>(X(x), X_FORGET);
  store<i32>(T(t), forgotten != 0 ? forgotten : load<i32>(X(x), X_TAIL), T_BUF);
  return go(t, K_FORGET);
}
// ---- forget list: first what jbd2_journal_forget filed there, then the logged buffers in reverse
// touch order
export function commitForget(t: i32): i32 {
  const x = committing;
  const b = load<i32>(T(t), T_BUF);
  if (b == 0) return go(t, K_FINISH);
  const f = flags(b);
  let next: i32;
  if ((f & ON_FORGET) != 0) {
    next = load<i32>(B(b), B_T_NEXT);
    if (next == 0) next = load<i32>(X(x), X_TAIL);
  } else {
    next = load<i32>(B(b), B_T_PREV);
  }
  store<i32>(T(t), next, T_BUF);
  releaseBuffer(b, x);
  return burst(t, cpuForget, K_FORGET);
}
/**
 * One buffer leaves the commit: off its older checkpoint list, onto this one's, to its next
 * transaction or home.
 */
function releaseBuffer(b: i32, x: i32): void {
  if (load<i32>(B(b), B_CP_TX) != 0) {
    add(ST_CP_DROPPED, 1);
    removeCheckpoint(b);
  }
  let f = flags(b) & ~(FROZEN | LOGGED | SHADOW);
  const nextTx = load<i32>(B(b), B_NEXT_TX);
  if (nextTx == 0) {
    if ((f & (FREED | ON_FORGET)) != 0) f &= ~JBDDIRTY;
    f &= ~(FREED | ON_FORGET | REVOKED);
  }
  setFlags(b, f);
  if ((f & JBDDIRTY) != 0) insertCheckpoint(b, x);
  store<i32>(B(b), 0, B_TX);
  if (nextTx != 0) {
    store<i32>(B(b), 0, B_NEXT_TX);
    setFlags(b, f & ~ON_FORGET);
    if ((f & FREED) != 0) fileForget(b, nextTx);
    else {
      setFlags(b, (f & ~ON_FORGET) | JBDDIRTY);
      fileMetadata(b, nextTx);
    }
  } else if ((f & JBDDIRTY) != 0) {
    setFlags(b, f & ~JBDDIRTY);
    setDirty(b);
    dirtyBdevPage(b);
  }
}
// ---- finished
export function commitFinish(t: i32): i32 {
  const x = committing;
  const tid = tidOf(x);
  add(ST_C_FORGET, <f64>(now - load<i64>(X(x), X_SUBMITTED)));
  add(ST_C_TOTAL, <f64>(now - load<i64>(X(x), X_LOCKED)));
  add(ST_COMMITS, 1);
  appendCheckpointTransaction(x);
  commitDone(tid, now - load<i64>(X(x), X_FLUSHED), <i32>(head - load<u32>(X(x), X_LOG_START)));
  enter(x, FINISHED);
  if (tracing) tell(TR_LOG, head, head - tail);
  if (load<i32>(X(x), X_CP_HEAD) == 0) dropTransaction(x);
  wakeAll(Q_DONE_COMMIT);
  return go(t, K_WRITE_HOME);
}
