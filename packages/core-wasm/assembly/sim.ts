// The run loop: events in order, the only switch over task states, completions of block requests. It runs until there is a
// reason to stop and never calls the host.
import { audit, resetAudit } from "./audit";
import { B, B_IO, LOCKED, SHADOW, flags, resetBuffers, setFlags, wakeBuffer } from "./buffer";
import {
  checkpointBegin, checkpointBuffer, checkpointCommit, checkpointEnter, checkpointLeave,
  checkpointOut, checkpointRelock, checkpointWalk, flushBatch, resetCheckpoint, spaceCheck,
  spaceCleaned, spaceLocked, spaceUnlock, waitForSpace,
} from "./checkpoint";
import {
  commitData, commitFinish, commitFlush, commitForget, commitIo, commitLock, commitLogged,
  commitLoop, commitNext, commitRecord, commitSwitch, commitTail, commitTailUpdated,
  commitUpdateTail, commitUpdates,
} from "./commit";
import { readConfig, threads } from "./config";
import { judgeCommitted, judgeFlushed, judgeHomeDone, resetJudge } from "./crash";
import {
  R, RQ_DATA, RQ_FLUSH, RQ_HOME, RQ_LOG, RQ_RECORD, R_BLOCKS, R_FIRST, R_INO, R_PHASE, R_STAMP,
  R_TASK, R_TX, begin, deviceFree, freeRequestRecord, releaseTag, resetDevice,
} from "./device";
import {
  DG_IO, EV_CPU, EV_DEVICE, EV_FLUSHER, EV_IO, EV_RUN, EV_SHRINK, EV_TICK, EV_TIMER, EV_WAKE,
  heapCount, note, pop, poppedArg, poppedKind, resetEvents,
} from "./events";
import { pagesWritten, resetInodes } from "./inode";
import {
  X, X_DATA_IO, X_LOG_IO, X_LOG_START, commitTimer, countDown, head, resetJournal, tail, tidOf,
} from "./journal";
import { ERR_CONFIG, ERR_INVARIANT, ERR_STUCK, STATS, clearError, error, fail } from "./layout";
import { countHome, endWriteback, homeInFlight, resetPages } from "./pages";
import { answered, homeWritesDone, point, pointTask, policyTick, resetPolicy } from "./policy";
import {
  B_NEXT, C_ENTER, D_BEGIN, D_BUFFER, D_COMMIT, D_ENTER, D_LEAVE, D_OUT, D_RELOCK, D_RESTART,
  F_DRAIN, F_INODE, F_LOOP, F_NEXT, F_PAGE, F_PASS, F_SUBMIT, K_ASK, K_COMMANDS, K_DATA, K_DROP,
  K_FINISH, K_FLUSH, K_FORGET, K_IO, K_LOCK, K_LOCKED, K_LOGGED, K_LOOP, K_MOVE, K_NEXT, K_RECORD,
  K_SWITCH, K_TAIL, K_UNLOCK, K_UNMOVED, K_UPDATE, K_UPDATED, K_UPDATES, K_WRITE_HOME, P_ACCESS,
  P_AFTER, P_END, P_FETCH, P_FSYNC, P_FSYNC_COMMIT, P_FSYNC_DATA, P_FSYNC_FLUSH, P_START, P_STOP,
  P_STOP_SYNC, P_STOP_TAIL, P_SYNC, P_SYNC_COMMIT, P_SYNC_DONE, P_SYNC_META, P_THROTTLE,
  P_WAIT_COMMIT, S_CHECK, S_CLEANED, S_ENTER, S_LOCKED, S_UNLOCK, U_ENTER, U_WRITTEN, W_HOME_WAIT,
  W_LOCKED, W_LOOP, W_UNLOCK, Z_LOOP, Z_SLEEP,
} from "./states";
import { cleanupTail, tailWritten, updateTail } from "./tail";
import {
  T, T_PC, flusher, keepsCpu, kjournald, kswapd, resetTasks, resumed, setPc, wake, worker,
} from "./task";
import {
  accessBuffers, startHandle, stopDone, stopHandle, stopUpdates, waitCommit,
} from "./transaction";
import {
  commitAsk, commitCommands, commitLocked, commitMove, commitUnlock, commitUnmoved,
  commitWriteHome, dropForPolicy, watchedDone, workerHomeWait, workerLocked, workerLoop,
  workerUnlock,
} from "./worker";
import {
  afterHandle, alive, end, fetch, fsync, fsyncCommit, fsyncData, fsyncFlush, hungry, resetWorkload,
  sync, syncCommit, syncDone, syncMeta, throttle,
} from "./workload";
import {
  dataDone, flusherDrain, flusherInode, flusherLoop, flusherNext, flusherPage, flusherPass,
  flusherSubmit, flusherTimer, homeDone, resetWriteback, shrinkLoop, shrinkSleep, shrinkTimer,
} from "./writeback";

export const REASON_NEED_HANDLES: i32 = 0;
export const REASON_DECISION: i32 = 1;
export const REASON_DONE: i32 = 2;
export const REASON_TRAP: i32 = 3;

/** Makes the world that CONFIG describes. False: CONFIG is no world. */
export function reset(): bool {
  clearError();
  if (!readConfig()) {
    fail(ERR_CONFIG, 0);
    return false;
  }
  memory.fill(STATS, 0, 4096 * 8);
  resetEvents();
  resetTasks();
  resetBuffers();
  resetDevice();
  resetJournal();
  resetJudge(tail);
  resetCheckpoint();
  resetInodes();
  resetPages();
  resetPolicy();
  resetWorkload();
  resetWriteback();
  resetAudit();
  setPc(kjournald, K_LOOP);
  setPc(flusher, F_LOOP);
  setPc(worker, W_LOOP);
  setPc(kswapd, Z_LOOP);
  for (let t = 0; t < threads; t++) wake(t);
  return true;
}

/** Runs until the host is needed: records for a thread, a policy's decision, the end, an error. */
export function runUntilReason(): i32 {
  // A task that stood at a decision point, or waited for records, goes on first.
  let t = point != 0 ? pointTask : resumeTask;
  answered();
  resumeTask = -1;
  while (true) {
    if (t >= 0) advance(t);
    if (error != 0) return REASON_TRAP;
    if (alive <= 0) return REASON_DONE;
    if (hungry >= 0) {
      resumeTask = hungry;
      return REASON_NEED_HANDLES;
    }
    if (point != 0) return REASON_DECISION;
    if (heapCount == 0) {
      fail(ERR_STUCK, 0);
      return REASON_TRAP;
    }
    if (!ASC_NO_ASSERT) {
      const broken = audit();
      if (broken != 0) fail(ERR_INVARIANT, broken);
    }
    pop();
    t = event(poppedKind, poppedArg);
  }
}
let resumeTask: i32 = -1;

/** Steps a task until it waits, uses CPU time, or needs the host. */
function advance(t: i32): void {
  while (step(t) != 0) {
    if (error != 0) return;
  }
}

/** Handles one event; returns the task that goes on, or -1. */
function event(kind: u32, arg: i32): i32 {
  if (kind == EV_CPU) return keepsCpu(arg) ? arg : -1;
  if (kind == EV_RUN) {
    resumed(arg);
    return arg;
  }
  if (kind == EV_IO) completed(arg);
  else if (kind == EV_WAKE) wake(arg);
  else if (kind == EV_DEVICE) deviceFree();
  else if (kind == EV_TIMER) commitTimer();
  else if (kind == EV_FLUSHER) flusherTimer();
  else if (kind == EV_SHRINK) shrinkTimer();
  else if (kind == EV_TICK) policyTick();
  return -1;
}

// ---- completions
function completed(r: i32): void {
  const kind = load<i32>(R(r));
  if (kind == RQ_RECORD && load<i32>(R(r), R_PHASE) == 0) {
    judgeFlushed(load<u32>(R(r), R_STAMP));
    store<i32>(R(r), 1, R_PHASE);
    begin(r);
    return;
  }
  note(DG_IO, <u32>kind, load<u32>(R(r), R_BLOCKS));
  releaseTag();
  const x = load<i32>(R(r), R_TX);
  if (kind == RQ_LOG) {
    logDone(r);
    countDown(x, X_LOG_IO);
  } else if (kind == RQ_HOME) {
    homeWritten(r);
  } else if (kind == RQ_RECORD) {
    judgeCommitted(tidOf(x), load<u32>(X(x), X_LOG_START), head);
  } else if (kind == RQ_FLUSH) {
    judgeFlushed(load<u32>(R(r), R_STAMP));
  } else if (kind == RQ_DATA) {
    const pages = load<i32>(R(r), R_BLOCKS);
    endWriteback(pages);
    pagesWritten(load<i32>(R(r), R_INO), pages);
    countDown(x, X_DATA_IO);
    dataDone();
  }
  const task = load<i32>(R(r), R_TASK) - 1;
  if (task >= 0) {
    if (kind == RQ_HOME) watchedDone(task);
    else wake(task);
  }
  freeRequestRecord(r);
}
function logDone(r: i32): void {
  let b = load<i32>(R(r), R_FIRST);
  while (b != 0) {
    const next = load<i32>(B(b), B_IO);
    setFlags(b, flags(b) & ~SHADOW);
    wakeBuffer(b);
    b = next;
  }
}
function homeWritten(r: i32): void {
  const n = load<i32>(R(r), R_BLOCKS);
  countHome(-n);
  let b = load<i32>(R(r), R_FIRST);
  while (b != 0) {
    const next = load<i32>(B(b), B_IO);
    setFlags(b, flags(b) & ~LOCKED);
    judgeHomeDone(b);
    wakeBuffer(b);
    b = next;
  }
  homeDone();
  homeWritesDone(n, homeInFlight);
}

/** One step of a task: 1 = it can go on at once, 0 = it waits, uses CPU time, or the host has to act. */
function step(t: i32): i32 {
  switch (load<i32>(T(t), T_PC)) {
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
    case K_LOOP:
      return commitLoop(t);
    case K_DROP:
      return dropForPolicy(t, K_LOCK);
    case K_LOCK:
      return commitLock(t);
    case K_UPDATES:
      return commitUpdates(t);
    case K_SWITCH:
      return commitSwitch(t);
    case K_FLUSH:
      return commitFlush(t);
    case K_NEXT:
      return commitNext(t);
    case K_LOGGED:
      return commitLogged(t);
    case K_DATA:
      return commitData(t);
    case K_TAIL:
      return commitTail(t);
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
    default: {
      fail(ERR_STUCK, load<i32>(T(t), T_PC));
      return 0;
    }
  }
}
