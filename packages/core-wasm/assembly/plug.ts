// Home writes: what one task sends goes through its plug, where adjacent blocks merge into one
// request.
import {
  B, B_BLOCK, B_IO, LOCKED, clearDirty, flags, setFlags,
} from "./buffer";
import { devMerge } from "./config";
import { judgeHomeSubmitted } from "./crash";
import {
  R, RQ_HOME, R_BLOCKS, R_FIRST, R_LAST, R_LBA, R_TASK, newRequest, submit,
} from "./device";
import { countHome } from "./pages";
import { T, T_REQ, T_X, T_Y, worker } from "./task";

/** The worker's T_X while it writes home for a policy: its T_Y counts requests not done yet. */
export const WRITING_HOME: i32 = 3;

/** Sends what is plugged. False: the task was blocked for a tag (and will find the plug empty). */
export function unplug(t: i32, cls: i32): bool {
  const r = load<i32>(T(t), T_REQ);
  if (r == 0) return true;
  store<i32>(T(t), 0, T_REQ);
  return submit(t, r, cls);
}
/** Adds the home write of b. False: blocked for a tag before b was added; the caller runs again. */
export function plugHome(t: i32, b: i32, cls: i32): bool {
  const block = load<u32>(B(b), B_BLOCK);
  const r = load<i32>(T(t), T_REQ);
  if (r != 0) {
    if (extend(r, b, block)) return true;
    if (!unplug(t, cls)) return false;
  }
  begin(t, b, block);
  return true;
}
function extend(r: i32, b: i32, block: u32): bool {
  const n = load<i32>(R(r), R_BLOCKS);
  if (n >= devMerge || load<u32>(R(r), R_LBA) + <u32>n != block) return false;
  store<i32>(B(load<i32>(R(r), R_LAST)), b, B_IO);
  store<i32>(R(r), b, R_LAST);
  store<i32>(R(r), n + 1, R_BLOCKS);
  lockHome(b);
  return true;
}
function begin(t: i32, b: i32, block: u32): void {
  const r = newRequest(RQ_HOME, block);
  store<i32>(R(r), 1, R_BLOCKS);
  store<i32>(R(r), b, R_FIRST);
  store<i32>(R(r), b, R_LAST);
  store<i32>(T(t), r, T_REQ);
  if (t == worker && load<i32>(T(t), T_X) == WRITING_HOME) {
    store<i32>(R(r), t + 1, R_TASK);
    store<i32>(T(t), load<i32>(T(t), T_Y) + 1, T_Y);
  }
  lockHome(b);
}
function lockHome(b: i32): void {
  store<i32>(B(b), 0, B_IO);
  clearDirty(b);
  setFlags(b, flags(b) | LOCKED);
  countHome(1);
  judgeHomeSubmitted(b);
}
