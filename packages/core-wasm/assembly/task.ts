// Tasks (handle threads, kjournald, flusher, worker, kswapd) as resumable state machines; CPUs, run
// queue, wait queues. A task owns a CPU from dispatch until it blocks, or until its slice is used
// up while others want a CPU.

// Record, 256 B.
import { cpus, quantum, threads } from "./config";
import {
  DG_STALL, EV_CPU, EV_RUN, EV_WAKE, earliest, heapCount, note, now, push, setNow,
} from "./events";
import { QUEUES, TASKS } from "./layout";
import { C_NONE, ST_FLUSHER_STALL, ST_RUNQ, ST_STALL_N, ST_STALL_NS, add } from "./stats";

export const T_PC: usize = 0;
export const T_SP: usize = 4;
export const T_STACK: usize = 8; // 11 return points
export const T_RET: usize = 52; // result of the routine that returned last
export const T_ON: usize = 56; // owns a CPU
export const T_NEXT: usize = 60; // link of the queue it waits in
export const T_CLASS: usize = 64; // stall class of the wait, C_NONE = not counted
export const T_ALIVE: usize = 68;
export const T_WAIT0: usize = 72; // i64: wait began
export const T_HWAIT: usize = 80; // i64: waits of the current handle
export const T_DISPATCHED: usize = 88; // i64: got its CPU
export const T_QUEUED: usize = 96; // i64: joined the run queue, -1 = counted with the wait
export const T_CURSOR: usize = 104; // next record, address
export const T_END: usize = 108; // end of records, address
export const T_ACC: usize = 112; // next access of the handle, address
export const T_ACC_END: usize = 116;
export const T_TX: usize = 120;
export const T_CREDITS: usize = 124;
export const T_USED: usize = 128;
export const T_INODE: usize = 132;
export const T_FLAGS: usize = 136;
export const T_BODY: usize = 140; // ns inside the handle
export const T_DATA: usize = 144; // address of the record's data part, 0 = none
export const T_TID: usize = 148; // commit waited for
export const T_CP_TX: usize = 152;
export const T_CP_TID: usize = 156;
export const T_I: usize = 160;
export const T_BUF: usize = 164;
export const T_REQ: usize = 168; // request being merged (the task's plug)
export const T_TAIL_TID: usize = 172;
export const T_TAIL_POS: usize = 176;
export const T_CLASS2: usize = 180; // class for WAIT_COMMIT
export const T_X: usize = 184;
export const T_Y: usize = 188;
export const T_SPACE0: usize = 192; // i64
export const T_COMMIT0: usize = 200; // i64
export const T_DELAYED: usize = 208; // the policy's delay was served for this handle
export const T_INO: usize = 212; // inode record being written back
export const T_FILES: usize = 216;
export const T_PAGES: usize = 220; // file pages being written back
export const T_ALLOC: usize = 224; // accesses of their allocation handle, 8 words

// Wait queues.
export const Q_RUN: i32 = 0;
export const Q_TX_LOCKED: i32 = 1;
export const Q_DONE_COMMIT: i32 = 2;
export const Q_MUTEX: i32 = 3;
export const Q_THROTTLE: i32 = 4;
export const Q_BARRIER: i32 = 5;
export const Q_SYNC: i32 = 6; // waits for the flusher to have written all file data
export const Q_SYNC_META: i32 = 7; // the same for the block device

/** Task numbers after the threads. */
export let kjournald: i32 = 1;
export let flusher: i32 = 2;
export let worker: i32 = 3;
export let kswapd: i32 = 4;
export let idleCpus: i32 = 0;

@inline export function T(t: i32): usize {
  return TASKS + ((<usize>t) << 8);
}
@inline function Q(q: i32): usize {
  return QUEUES + ((<usize>q) << 3);
}

export function resetTasks(): void {
  kjournald = threads;
  flusher = threads + 1;
  worker = threads + 2;
  kswapd = threads + 3;
  idleCpus = cpus;
  memory.fill(TASKS, 0, (<usize>(threads + 4)) << 8);
  memory.fill(QUEUES, 0, 64 * 8);
}

// ---- queues: links hold task + 1, 0 ends
export function enqueue(q: i32, t: i32): void {
  store<i32>(T(t), 0, T_NEXT);
  const tail = load<i32>(Q(q), 4);
  if (tail == 0) store<i32>(Q(q), t + 1);
  else store<i32>(T(tail - 1), t + 1, T_NEXT);
  store<i32>(Q(q), t + 1, 4);
}
@inline export function queueHead(q: i32): i32 {
  return load<i32>(Q(q)) - 1;
}
export function dequeue(q: i32): i32 {
  const t = load<i32>(Q(q)) - 1;
  if (t < 0) return -1;
  const next = load<i32>(T(t), T_NEXT);
  store<i32>(Q(q), next);
  if (next == 0) store<i32>(Q(q), 0, 4);
  return t;
}

// ---- CPUs
function dispatch(t: i32): void {
  store<i32>(T(t), 1, T_ON);
  store<i64>(T(t), now, T_DISPATCHED);
  push(now, EV_RUN, t);
}
/** Makes a blocked task runnable. */
export function wake(t: i32): void {
  if (idleCpus > 0) {
    idleCpus--;
    dispatch(t);
  } else {
    enqueue(Q_RUN, t);
  }
}
export function wakeAll(q: i32): void {
  let t = dequeue(q);
  while (t >= 0) {
    wake(t);
    t = dequeue(q);
  }
}
function releaseCpu(t: i32): void {
  store<i32>(T(t), 0, T_ON);
  const next = dequeue(Q_RUN);
  if (next >= 0) dispatch(next);
  else idleCpus++;
}
/**
 * The running task gives up its CPU to wait; `cls` is where the time until it runs again is
 * counted. Returns 0.
 */
export function block(t: i32, cls: i32): i32 {
  store<i32>(T(t), cls, T_CLASS);
  store<i64>(T(t), now, T_WAIT0);
  store<i64>(T(t), -1, T_QUEUED);
  releaseCpu(t);
  return 0;
}
export function blockOn(t: i32, q: i32, cls: i32): i32 {
  enqueue(q, t);
  return block(t, cls);
}
export function sleep(t: i32, ns: i64, cls: i32): i32 {
  push(now + ns, EV_WAKE, t);
  return block(t, cls);
}

/**
 * Uses the CPU for `ns`, then goes on at `pc`. Returns 1 when the caller may go on at once:
 * nothing else can happen before the burst ends, so the event queue is left out of it.
 */
@inline export function burst(t: i32, ns: i64, pc: i32): i32 {
  store<i32>(T(t), pc, T_PC);
  if (ns <= 0) return 1;
  const end = now + ns;
  if (load<i32>(QUEUES) == 0 && (heapCount == 0 || end < earliest())) {
    setNow(end);
    return 1;
  }
  push(end, EV_CPU, t);
  return 0;
}
/** A burst ended: returns false when the task has to hand its CPU to the next in the run queue. */
export function keepsCpu(t: i32): bool {
  if (queueHead(Q_RUN) < 0 || now - load<i64>(T(t), T_DISPATCHED) < quantum) return true;
  store<i32>(T(t), C_NONE, T_CLASS);
  store<i64>(T(t), now, T_QUEUED);
  store<i32>(T(t), 0, T_ON);
  const next = dequeue(Q_RUN);
  enqueue(Q_RUN, t);
  dispatch(next);
  return false;
}
/** A task got its CPU: books the wait that ended. */
export function resumed(t: i32): void {
  const queued = load<i64>(T(t), T_QUEUED);
  if (queued >= 0) {
    if (t < threads) add(ST_RUNQ, <f64>(now - queued));
    store<i64>(T(t), -1, T_QUEUED);
    return;
  }
  const cls = load<i32>(T(t), T_CLASS);
  if (cls == C_NONE) return;
  store<i32>(T(t), C_NONE, T_CLASS);
  const waited = now - load<i64>(T(t), T_WAIT0);
  if (t < threads) {
    add(ST_STALL_NS + cls, <f64>waited);
    add(ST_STALL_N + cls, 1);
    store<i64>(T(t), load<i64>(T(t), T_HWAIT) + waited, T_HWAIT);
    note(DG_STALL, <u32>cls, <u32>t);
  } else if (t == flusher) {
    add(ST_FLUSHER_STALL, <f64>waited);
  }
}

// ---- routines: call pushes where to go on, ret goes there
@inline export function go(t: i32, pc: i32): i32 {
  store<i32>(T(t), pc, T_PC);
  return 1;
}
export function call(t: i32, pc: i32, back: i32): i32 {
  const sp = load<i32>(T(t), T_SP);
  assert(sp < 11, "routine stack");
  store<i32>(T(t) + ((<usize>sp) << 2), back, T_STACK);
  store<i32>(T(t), sp + 1, T_SP);
  store<i32>(T(t), pc, T_PC);
  return 1;
}
export function ret(t: i32, value: i32): i32 {
  const sp = load<i32>(T(t), T_SP) - 1;
  assert(sp >= 0, "return without call");
  store<i32>(T(t), sp, T_SP);
  store<i32>(T(t), value, T_RET);
  store<i32>(T(t), load<i32>(T(t) + ((<usize>sp) << 2), T_STACK), T_PC);
  return 1;
}
export function setPc(t: i32, pc: i32): void {
  store<i32>(T(t), pc, T_PC);
}
