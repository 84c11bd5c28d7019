// The run loop: events in order until there is a reason to stop. It never calls the host.
import { audit, resetAudit } from "./audit";
import { resetBuffers } from "./buffer";
import { resetCheckpoint } from "./checkpoint";
import { completed } from "./completion";
import { readConfig, threads } from "./config";
import { resetConversion } from "./conversion";
import { keepsCpu, resetCpus, wake } from "./cpu";
import { resetJudge } from "./crash";
import { deviceFree, resetDevice } from "./device";
import {
  EV_CPU, EV_DEVICE, EV_FLUSHER, EV_IO, EV_RUN, EV_SHRINK, EV_TICK, EV_TIMER, EV_WAKE, heapCount,
  pop, poppedArg, poppedKind, resetEvents, traceFull, tracing,
} from "./events";
import { resetInodes } from "./inode";
import { commitTimer, resetJournal, tail } from "./journal";
import { ERR_CONFIG, ERR_INVARIANT, ERR_STUCK, STATS, clearError, error, fail } from "./layout";
import { resetPages } from "./pages";
import { answered, point, pointTask, policyTick, resetPolicy } from "./policy";
import { F_LOOP, K_LOOP, V_LOOP, W_LOOP, Z_LOOP } from "./states";
import { step } from "./step";
import { converter, flusher, kjournald, kswapd, resetTasks, setPc, worker } from "./task";
import { resumed } from "./waits";
import { alive, hungry, resetWorkload } from "./workload";
import { flusherTimer, resetWriteback, shrinkTimer } from "./writeback";

export const REASON_NEED_HANDLES: i32 = 0;
export const REASON_DECISION: i32 = 1;
export const REASON_DONE: i32 = 2;
export const REASON_TRAP: i32 = 3;
export const REASON_TRACE: i32 = 4;

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
  resetCpus();
  resetBuffers();
  resetDevice();
  resetJournal();
  resetJudge(tail);
  resetCheckpoint();
  resetInodes();
  resetConversion();
  resetPages();
  resetPolicy();
  resetWorkload();
  resetWriteback();
  resetAudit();
  setPc(kjournald, K_LOOP);
  setPc(flusher, F_LOOP);
  setPc(worker, W_LOOP);
  setPc(kswapd, Z_LOOP);
  setPc(converter, V_LOOP);
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
    if (tracing && traceFull()) return REASON_TRACE;
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
