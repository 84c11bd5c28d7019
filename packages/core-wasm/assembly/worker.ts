// The background worker carries out a policy's commands; kjournald does what a policy answered at a
// commit's end.

// ---- worker, T_PC = W_LOOP
import { cleanLists } from "./cleanup";
import { cpuScan, writeHomeAtEnd } from "./config";
import { block, burst, wake } from "./cpu";
import { now } from "./events";
import { cpFirst, lockMutex, spaceLeft, tail, unlockMutex } from "./journal";
import { WRITING_HOME } from "./plug";
import {
  CMD_CHECKPOINT, CMD_DROP_SKIP, CMD_DROP_STOP, CMD_WRITE_HOME, POINT_COMMIT_FINISHED, ask,
  commandArg, dropBudget, idleWorker, takeCommand, takeDrop, takeMove,
} from "./policy";
import {
  C_ENTER, D_ENTER, K_ASK, K_COMMANDS, K_LOCKED, K_LOOP, K_MOVE, K_UNLOCK, K_UNMOVED, W_HOME_SENT,
  W_HOME_WAIT, W_LOCKED, W_LOOP, W_UNLOCK,
} from "./states";
import { C_NONE, ST_BG_N, ST_BG_NS, add } from "./stats";
import { getLogTail, logTailPos } from "./tail";
import { T, T_I, T_PC, T_SPACE0, T_X, T_Y, call, go } from "./task";
import { writeOldestHome } from "./write-home";

export function workerLoop(t: i32): i32 {
  const kind = takeCommand();
  if (kind == 0) return idleWorker(t);
  if (kind == CMD_WRITE_HOME) {
    store<i32>(T(t), 0, T_Y);
    store<i32>(T(t), WRITING_HOME, T_X);
    return writeOldestHome(t, commandArg, W_HOME_SENT);
  }
  if (kind == CMD_DROP_STOP || kind == CMD_DROP_SKIP) {
    return burst(t, cpuScan * <i64>cleanLists(t, kind == CMD_DROP_SKIP, commandArg), W_LOOP);
  }
  store<i32>(T(t), kind, T_X);
  store<i32>(T(t), commandArg, T_I);
  store<i64>(T(t), now, T_SPACE0);
  store<i32>(T(t), W_LOCKED, T_PC);
  return lockMutex(t, C_NONE) ? 1 : 0;
}
export function workerHomeSent(t: i32): i32 {
  store<i32>(T(t), 0, T_X);
  return go(t, W_HOME_WAIT);
}
export function workerHomeWait(t: i32): i32 {
  if (load<i32>(T(t), T_Y) == 0) return go(t, W_LOOP);
  store<i32>(T(t), 1, T_X);
  store<i32>(T(t), W_LOOP, T_PC);
  return block(t, C_NONE);
}
/** A request the worker watches is done. */
export function watchedDone(t: i32): void {
  const left = load<i32>(T(t), T_Y) - 1;
  store<i32>(T(t), left, T_Y);
  if (left != 0 || load<i32>(T(t), T_X) != 1) return;
  store<i32>(T(t), 0, T_X);
  wake(t);
}
export function workerLocked(t: i32): i32 {
  if (load<i32>(T(t), T_X) == CMD_CHECKPOINT) {
    // Somebody else may have made the space while this task waited or ran for an earlier command.
    if (spaceLeft() >= load<i32>(T(t), T_I)) {
      store<i32>(T(t), 0, T_X);
      return go(t, W_UNLOCK);
    }
    // A checkpoint has no oldest transaction to work on when there is none: then only the tail may
    // move.
    return call(t, cpFirst != 0 ? D_ENTER : C_ENTER, W_UNLOCK);
  }
  const enough = getLogTail() && <i32>(logTailPos - tail) >= load<i32>(T(t), T_I);
  return enough ? call(t, C_ENTER, W_UNLOCK) : go(t, W_UNLOCK);
}
export function workerUnlock(t: i32): i32 {
  unlockMutex(t);
  if (load<i32>(T(t), T_X) == CMD_CHECKPOINT) {
    add(ST_BG_N, 1);
    add(ST_BG_NS, <f64>(now - load<i64>(T(t), T_SPACE0)));
  }
  store<i32>(T(t), 0, T_X);
  return go(t, W_LOOP);
}

// ---- kjournald at the end of a commit, T_PC = K_WRITE_HOME
export function commitWriteHome(t: i32): i32 {
  return writeHomeAtEnd ? writeOldestHome(t, i32.MAX_VALUE, K_ASK) : go(t, K_ASK);
}
export function commitAsk(t: i32): i32 {
  store<i32>(T(t), K_COMMANDS, T_PC);
  return ask(POINT_COMMIT_FINISHED, t) ? 0 : 1;
}
/** Cleans as the policy asked, then goes on to moving the tail. */
export function dropForPolicy(t: i32, pc: i32): i32 {
  const mode = takeDrop();
  return mode == 0 ? go(t, pc) : burst(t, cpuScan * <i64>cleanLists(t, mode == 2, dropBudget), pc);
}
export function commitCommands(t: i32): i32 {
  return dropForPolicy(t, K_MOVE);
}
export function commitMove(t: i32): i32 {
  const minimum = takeMove();
  if (minimum < 0) return go(t, K_LOOP);
  store<i32>(T(t), minimum, T_I);
  if (!getLogTail() || <i32>(logTailPos - tail) < minimum) return go(t, K_UNMOVED);
  store<i32>(T(t), K_LOCKED, T_PC);
  return lockMutex(t, C_NONE) ? 1 : 0;
}
export function commitLocked(t: i32): i32 {
  const minimum = load<i32>(T(t), T_I);
  if (getLogTail() && <i32>(logTailPos - tail) >= minimum) return call(t, C_ENTER, K_UNLOCK);
  return go(t, K_UNLOCK);
}
export function commitUnlock(t: i32): i32 {
  unlockMutex(t);
  return go(t, K_UNMOVED);
}
/** T_I counts the buffers of a descriptor in the next commit. */
export function commitUnmoved(t: i32): i32 {
  store<i32>(T(t), 0, T_I);
  return go(t, K_LOOP);
}
