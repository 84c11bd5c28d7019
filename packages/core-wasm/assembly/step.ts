// The only switch over task states: one step of a task.
import {
  checkpointBegin, checkpointBuffer, checkpointCommit, checkpointEnter, checkpointLeave,
  checkpointOut, checkpointRelock, checkpointWaited, checkpointWalk, flushBatch, spaceCheck,
  spaceCleaned, spaceLocked, spaceUnlock, waitForSpace,
} from "./checkpoint";
import {
  commitData, commitFlush, commitIo, commitLock, commitLogged, commitLoop, commitMark, commitMarked,
  commitGroup, commitNext, commitRevokes, commitSent, commitRecord, commitSwitch, commitTail,
  commitTailUpdated, commitUpdateTail, commitUpdates,
} from "./commit";
import { convert, converted } from "./conversion";
import { commitFinish, commitForget } from "./forget";
import { ERR_STUCK, fail } from "./layout";
import {
  B_NEXT, C_ENTER, D_BEGIN, D_BUFFER, D_COMMIT, D_ENTER, D_LEAVE, D_OUT, D_RELOCK, D_RESTART,
  D_WAITED, F_DRAIN, F_INODE, F_LOOP, F_NEXT, F_PAGE, F_PASS, F_SUBMIT, K_ASK, K_COMMANDS, K_DATA,
  K_DROP, K_FINISH, K_FLUSH, K_FORGET, K_IO, K_LOCK, K_LOCKED, K_LOGGED, K_LOOP, K_MARK, K_MARKED,
  K_MOVE, K_GROUP, K_NEXT, K_REVOKES, K_SENT, K_RECORD, K_SWITCH, K_TAIL, K_UNLOCK, K_UNMOVED,
  K_UPDATE, K_UPDATED, K_UPDATES, K_WRITE_HOME, P_ACCESS, P_AFTER, P_END, P_FETCH, P_FSYNC,
  P_FSYNC_COMMIT, P_FSYNC_DATA, P_FSYNC_FLUSH, P_START, P_STOP, P_STOP_SYNC, P_STOP_TAIL, P_SYNC,
  P_SYNC_COMMIT, P_SYNC_DONE, P_SYNC_META, P_THROTTLE, P_WAIT_COMMIT, S_CHECK, S_CLEANED, S_ENTER,
  S_LOCKED, S_UNLOCK, U_ENTER, U_WRITTEN, V_DONE, V_LOOP, H_DONE, H_NEXT, W_HOME_SENT, W_HOME_WAIT,
  W_LOCKED, W_LOOP, W_UNLOCK, Z_LOOP, Z_SLEEP,
} from "./states";
import { cleanupTail, tailWritten, updateTail } from "./tail";
import { T, T_PC } from "./task";
import { accessBuffers, startHandle, stopDone, stopHandle, stopUpdates } from "./transaction";
import { waitCommit } from "./wait-commit";
import {
  commitAsk, commitCommands, commitLocked, commitMove, commitUnlock, commitUnmoved, commitWriteHome,
  dropForPolicy, workerHomeSent, workerHomeWait, workerLocked, workerLoop, workerUnlock,
} from "./worker";
import {
  afterHandle, end, fetch, fsync, fsyncCommit, fsyncData, fsyncFlush, sync, syncCommit, syncDone,
  syncMeta, throttle,
} from "./workload";
import { writeHomeDone, writeHomeNext } from "./write-home";
import {
  flusherDrain, flusherInode, flusherLoop, flusherNext, flusherPage, flusherPass, flusherSubmit,
  shrinkLoop, shrinkSleep,
} from "./writeback";

/** One step of a task: 1 = it can go on at once, 0 = it waits, uses CPU time, or the host acts. */
export function step(t: i32): i32 {
  const pc = load<i32>(T(t), T_PC);
  if (pc <= P_END) return stepThread(t, pc);
  if (pc <= U_WRITTEN) return stepSpace(t, pc);
  return pc <= K_UNMOVED ? stepCommit(t, pc) : stepBackground(t, pc);
}
function lost(pc: i32): i32 {
  fail(ERR_STUCK, pc);
  return 0;
}
// ---- handle threads
function stepThread(t: i32, pc: i32): i32 {
  switch (pc) {
    case P_FETCH:
      return fetch(t);
    case P_START:
      return startHandle(t);
    case P_ACCESS:
      return accessBuffers(t);
    case P_STOP:
      return stopHandle(t);
    case P_STOP_SYNC:
      return stopUpdates(t);
    case P_STOP_TAIL:
      return stopDone(t);
    case P_AFTER:
      return afterHandle(t);
    case P_THROTTLE:
      return throttle(t);
    case P_WAIT_COMMIT:
      return waitCommit(t);
    case P_FSYNC:
      return fsync(t);
    case P_FSYNC_DATA:
      return fsyncData(t);
    case P_FSYNC_COMMIT:
      return fsyncCommit(t);
    case P_FSYNC_FLUSH:
      return fsyncFlush(t);
    case P_SYNC:
      return sync(t);
    case P_SYNC_COMMIT:
      return syncCommit(t);
    case P_SYNC_META:
      return syncMeta(t);
    case P_SYNC_DONE:
      return syncDone(t);
    case P_END:
      return end(t);
    default:
      return lost(pc);
  }
}
// ---- waiting for log space, checkpoint, tail
function stepSpace(t: i32, pc: i32): i32 {
  switch (pc) {
    case S_ENTER:
      return waitForSpace(t);
    case S_CHECK:
      return spaceCheck(t);
    case S_LOCKED:
      return spaceLocked(t);
    case S_CLEANED:
      return spaceCleaned(t);
    case S_UNLOCK:
      return spaceUnlock(t);
    case D_ENTER:
      return checkpointEnter(t);
    case D_BEGIN:
      return checkpointBegin(t);
    case D_RESTART:
      return checkpointWalk(t);
    case D_COMMIT:
      return checkpointCommit(t);
    case D_RELOCK:
      return checkpointRelock(t);
    case D_BUFFER:
      return checkpointBuffer(t);
    case D_WAITED:
      return checkpointWaited(t);
    case D_OUT:
      return checkpointOut(t);
    case D_LEAVE:
      return checkpointLeave(t);
    case B_NEXT:
      return flushBatch(t);
    case C_ENTER:
      return cleanupTail(t);
    case U_ENTER:
      return updateTail(t);
    case U_WRITTEN:
      return tailWritten(t);
    default:
      return lost(pc);
  }
}
// ---- kjournald
function stepCommit(t: i32, pc: i32): i32 {
  switch (pc) {
    case K_LOOP:
      return commitLoop(t);
    case K_DROP:
      return dropForPolicy(t, K_LOCK);
    case K_MARK:
      return commitMark(t);
    case K_MARKED:
      return commitMarked(t);
    case K_LOCK:
      return commitLock(t);
    case K_UPDATES:
      return commitUpdates(t);
    case K_SWITCH:
      return commitSwitch(t);
    case K_FLUSH:
      return commitFlush(t);
    case K_REVOKES:
      return commitRevokes(t);
    case K_NEXT:
      return commitNext(t);
    case K_LOGGED:
      return commitLogged(t);
    case K_GROUP:
      return commitGroup(t);
    case K_DATA:
      return commitData(t);
    case K_TAIL:
      return commitTail(t);
    case K_SENT:
      return commitSent(t);
    case K_IO:
      return commitIo(t);
    case K_RECORD:
      return commitRecord(t);
    case K_UPDATE:
      return commitUpdateTail(t);
    case K_UPDATED:
      return commitTailUpdated(t);
    case K_FORGET:
      return commitForget(t);
    case K_FINISH:
      return commitFinish(t);
    case K_WRITE_HOME:
      return commitWriteHome(t);
    case K_ASK:
      return commitAsk(t);
    case K_COMMANDS:
      return commitCommands(t);
    case K_MOVE:
      return commitMove(t);
    case K_LOCKED:
      return commitLocked(t);
    case K_UNLOCK:
      return commitUnlock(t);
    case K_UNMOVED:
      return commitUnmoved(t);
    default:
      return lost(pc);
  }
}
// ---- flusher, worker, kswapd, converter
function stepBackground(t: i32, pc: i32): i32 {
  switch (pc) {
    case F_LOOP:
      return flusherLoop(t);
    case F_NEXT:
      return flusherNext(t);
    case F_INODE:
      return flusherInode(t);
    case F_SUBMIT:
      return flusherSubmit(t);
    case F_PASS:
      return flusherPass(t);
    case F_PAGE:
      return flusherPage(t);
    case F_DRAIN:
      return flusherDrain(t);
    case W_LOOP:
      return workerLoop(t);
    case W_HOME_SENT:
      return workerHomeSent(t);
    case W_HOME_WAIT:
      return workerHomeWait(t);
    case W_LOCKED:
      return workerLocked(t);
    case W_UNLOCK:
      return workerUnlock(t);
    case Z_LOOP:
      return shrinkLoop(t);
    case Z_SLEEP:
      return shrinkSleep(t);
    case H_NEXT:
      return writeHomeNext(t);
    case H_DONE:
      return writeHomeDone(t);
    case V_LOOP:
      return convert(t);
    case V_DONE:
      return converted(t);
    default:
      return lost(pc);
  }
}
