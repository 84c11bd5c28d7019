// Booking of waits: each goes to exactly one stall class, when the task runs again.
import { threads } from "./config";
import { DG_STALL, note, now } from "./events";
import { C_NONE, ST_FLUSHER_STALL, ST_RUNQ, ST_STALL_N, ST_STALL_NS, add } from "./stats";
import { T, T_CLASS, T_HWAIT, T_QUEUED, T_WAIT0, flusher } from "./task";

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

