// Counters as f64s at STATS, by index; the host reads them by the exported names. Times in ns.
import { STATS } from "./layout";

export const ST_HANDLES: i32 = 0;
export const ST_TOUCHES: i32 = 1;
export const ST_FILES: i32 = 2;
export const ST_SAMPLES: i32 = 3;
export const ST_COMMITS: i32 = 4;
export const ST_REASON: i32 = 5; // full, timer, checkpoint, sync, policy
export const ST_COMMIT_HANDLES: i32 = 10;
export const ST_COMMIT_BUFFERS: i32 = 11;
export const ST_LOGGED: i32 = 12;
export const ST_C_RUN: i32 = 13;
export const ST_C_LOCK: i32 = 14;
export const ST_C_SUBMIT: i32 = 15;
export const ST_C_IOWAIT: i32 = 16;
export const ST_C_RECORD: i32 = 17;
export const ST_C_TAIL: i32 = 18;
export const ST_C_FORGET: i32 = 19;
export const ST_C_TOTAL: i32 = 20;
export const ST_FROZEN: i32 = 21;
export const ST_REJOINED: i32 = 22;
export const ST_FORCED: i32 = 23;
export const ST_CP_CALLS: i32 = 24;
export const ST_CP_WRITES: i32 = 25;
export const ST_CP_DROPPED: i32 = 26;
export const ST_SPACE_N: i32 = 27;
export const ST_SPACE_NS: i32 = 28;
export const ST_SPACE_MAX: i32 = 29;
export const ST_CWAIT_N: i32 = 30;
export const ST_CWAIT_NS: i32 = 31;
export const ST_TAIL_COMMIT: i32 = 32;
export const ST_TAIL_THREAD: i32 = 33;
export const ST_TAIL_FLUSHER: i32 = 34;
export const ST_TAIL_WORKER: i32 = 35;
export const ST_TAIL_KJOURNALD: i32 = 36;
export const ST_TAIL_BLOCKS: i32 = 37;
export const ST_TAIL_DECIDED: i32 = 38;
export const ST_TAIL_SMALL: i32 = 39;
export const ST_CL_SCANNED: i32 = 40;
export const ST_CL_FREED: i32 = 41;
export const ST_CL_FREED_REJOINED: i32 = 42;
export const ST_CL_STOP_REJOINED: i32 = 43;
export const ST_CL_STOP_LOCKED: i32 = 44;
export const ST_CL_STOP_DIRTY: i32 = 45;
export const ST_CL_RELEASED: i32 = 46;
export const ST_HW_FLUSHER: i32 = 47;
export const ST_HW_CHECKPOINT: i32 = 48;
export const ST_HW_POLICY: i32 = 49;
export const ST_DATA_WRITES: i32 = 50;
export const ST_LOG_WRITES: i32 = 51;
export const ST_FLUSHES: i32 = 52;
export const ST_FLUSHER_STALL: i32 = 53;
export const ST_RUNQ: i32 = 54;
export const ST_LONGEST: i32 = 55;
export const ST_BG_N: i32 = 56;
export const ST_BG_NS: i32 = 57;
export const ST_CUTS: i32 = 58;
export const ST_WINDOWS: i32 = 59;
export const ST_WINDOW_NS: i32 = 60;
export const ST_SHRUNK: i32 = 61;
export const ST_STALL_NS: i32 = 64; // 12 classes
export const ST_STALL_N: i32 = 80;
export const ST_HIST: i32 = 128; // waits of handles: 4 buckets per power of two of ns

// Stall classes, in the order of STALL_CLASSES in contract.ts.
export const C_NONE: i32 = -1;
export const C_TX_LOCKED: i32 = 0;
export const C_FORCED_COMMIT: i32 = 1;
export const C_HOME_WRITES: i32 = 2;
export const C_TAIL_FLUSH: i32 = 3;
export const C_MUTEX: i32 = 4;
export const C_WAIT_COMMITTING: i32 = 5;
export const C_SHADOW: i32 = 6;
export const C_LOCKED_BUFFER: i32 = 7;
export const C_FSYNC: i32 = 8;
export const C_THROTTLE: i32 = 9;
export const C_DELAY: i32 = 10;
export const C_BATCHING: i32 = 11;

// Why a commit was requested: offsets from ST_REASON.
export const REASON_FULL: i32 = 0;
export const REASON_TIMER: i32 = 1;
export const REASON_CHECKPOINT: i32 = 2;
export const REASON_SYNC: i32 = 3;
export const REASON_POLICY: i32 = 4;

@inline export function add(i: i32, v: f64): void {
  const p = STATS + ((<usize>i) << 3);
  store<f64>(p, load<f64>(p) + v);
}
@inline export function stat(i: i32): f64 {
  return load<f64>(STATS + ((<usize>i) << 3));
}
export function raise(i: i32, v: f64): void {
  const p = STATS + ((<usize>i) << 3);
  if (v > load<f64>(p)) store<f64>(p, v);
}

/** Counts one handle's wait in the histogram. */
export function countWait(ns: i64): void {
  const top = 63 - <i32>clz(ns);
  const sub = top >= 2 ? <i32>((ns >> (top - 2)) & 3) : 0;
  add(ST_HIST + (top << 2) + sub, 1);
}
