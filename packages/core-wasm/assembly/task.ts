// Tasks (handle threads, kjournald, flusher, worker, kswapd, converter) as resumable state
// machines; CPUs, run queue, wait queues. A task owns a CPU from dispatch until it blocks, or until
// its slice is used up while others want a CPU.

// Record, 512 B.
import { threads } from "./config";
import { QUEUES, TASKS } from "./layout";

export const T_PC: usize = 0;
export const T_SP: usize = 4;
export const T_STACK: usize = 8; // 11 return points
export const T_RET: usize = 52; // result of the routine that returned last
export const T_NEXT: usize = 60; // link of the queue it waits in
export const T_CLASS: usize = 64; // stall class of the wait, C_NONE = not counted
export const T_ALIVE: usize = 68;
export const T_WAIT0: usize = 72; // i64: wait began
export const T_HWAIT: usize = 80; // i64: waits of the current handle
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
// Scheduling (cpu.ts).
export const T_VRUNTIME: usize = 256; // i64
export const T_DEADLINE: usize = 264; // i64
export const T_SLICE_END: usize = 272; // i64: the deadline it was picked with
export const T_EXEC: usize = 280; // i64: CPU time is charged up to here
export const T_TICK: usize = 288; // i64: last look at the clock
export const T_LAG: usize = 296; // i64: when it went to sleep
export const T_ASKED: usize = 324; // the policy was asked for this start of a handle
export const T_DELAY: usize = 304; // sleeps, but still counts in the average
export const T_STOLEN: usize = 308; // ns that interrupts took from its burst
export const T_RESCHED: usize = 316; // TIF_NEED_RESCHED

// Wait queues.
export const Q_RUN: i32 = 0;
export const Q_TX_LOCKED: i32 = 1;
export const Q_DONE_COMMIT: i32 = 2;
export const Q_MUTEX: i32 = 3;
export const Q_THROTTLE: i32 = 4;
export const Q_BARRIER: i32 = 5;
export const Q_SYNC: i32 = 6; // waits for the flusher to have written all file data
export const Q_SYNC_META: i32 = 7; // the same for the block device
export const Q_RESERVED: i32 = 8; // waits for reserved credits to be claimed

/** Task numbers after the threads. */
export let kjournald: i32 = 1;
export let flusher: i32 = 2;
export let worker: i32 = 3;
export let kswapd: i32 = 4;
export let converter: i32 = 5;

@inline export function T(t: i32): usize {
  return TASKS + ((<usize>t) << 9);
}
@inline function Q(q: i32): usize {
  return QUEUES + ((<usize>q) << 3);
}

export function resetTasks(): void {
  kjournald = threads;
  flusher = threads + 1;
  worker = threads + 2;
  kswapd = threads + 3;
  converter = threads + 4;
  memory.fill(TASKS, 0, (<usize>(threads + 5)) << 9);
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

/** Takes task t out of the middle of a queue. */
export function unlink(q: i32, t: i32): void {
  let p = Q(q);
  let before = 0; // task + 1
  while (load<i32>(p) != t + 1) {
    before = load<i32>(p);
    p = T(before - 1) + T_NEXT;
  }
  store<i32>(p, load<i32>(T(t), T_NEXT));
  if (load<i32>(Q(q), 4) == t + 1) store<i32>(Q(q), before, 4);
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
