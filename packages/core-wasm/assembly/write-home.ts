// Writing checkpoint buffers home as a policy asked, by kjournald at a commit's end or by the
// background worker: oldest transactions first, only what no transaction holds. Whoever does it
// sleeps when the device has no tag left, as every submitter does.
import { B, B_CP_NEXT, B_CP_TX, B_TX, DIRTY, LOCKED, flags } from "./buffer";
import { cpuCheckpoint } from "./config";
import { burst } from "./cpu";
import { X, X_CP_HEAD, X_CP_NEXT, cpFirst, tidOf } from "./journal";
import { plugHome, unplug } from "./plug";
import { H_DONE, H_NEXT } from "./states";
import { C_NONE, ST_HW_POLICY, add } from "./stats";
import { T, T_BUF, T_CP_TID, T_CP_TX, T_I, T_PC, call, go, ret } from "./task";

/** Up to `limit` buffers, then goes on at `back`. */
export function writeOldestHome(t: i32, limit: i32, back: i32): i32 {
  store<i32>(T(t), limit, T_I);
  store<i32>(T(t), 0, T_BUF);
  return call(t, H_NEXT, back);
}
/** The next buffer to write from (x, b) on, in x or a younger transaction; 0 = none. */
function search(t: i32, x: i32, from: i32): i32 {
  let b = from;
  while (x != 0) {
    const first = load<i32>(X(x), X_CP_HEAD);
    if (b == 0) b = first;
    while (b != 0) {
      if ((flags(b) & (DIRTY | LOCKED)) == DIRTY && load<i32>(B(b), B_TX) == 0) {
        store<i32>(T(t), x, T_CP_TX);
        store<u32>(T(t), tidOf(x), T_CP_TID);
        return b;
      }
      b = load<i32>(B(b), B_CP_NEXT);
      if (b == first) break;
    }
    b = 0;
    x = load<i32>(X(x), X_CP_NEXT);
    if (x == cpFirst) break;
  }
  return 0;
}
// ---- T_PC = H_NEXT
export function writeHomeNext(t: i32): i32 {
  const left = load<i32>(T(t), T_I);
  const last = load<i32>(T(t), T_BUF);
  const x = load<i32>(T(t), T_CP_TX);
  // Lists may have changed while this task slept: then it looks from their start.
  const onList = last != 0 && load<i32>(B(last), B_CP_TX) == x;
  const stays = onList && tidOf(x) == load<u32>(T(t), T_CP_TID);
  const b = left == 0 ? 0 : search(t, stays ? x : cpFirst, stays ? last : 0);
  if (b == 0) {
    store<i32>(T(t), H_DONE, T_PC);
    return unplug(t, C_NONE) ? 1 : 0;
  }
  if (!plugHome(t, b, C_NONE)) return 0;
  store<i32>(T(t), b, T_BUF);
  store<i32>(T(t), left - 1, T_I);
  add(ST_HW_POLICY, 1);
  return burst(t, cpuCheckpoint, H_NEXT);
}
export function writeHomeDone(t: i32): i32 {
  store<i32>(T(t), 0, T_I);
  return ret(t, 0);
}
