// The end of file data's I/O (ext4/page-io.c): a worker turns the unwritten extents into written
// ones, in a handle whose credits were reserved when the pages were allocated. Only then is the
// writeback of the pages over. Without reserved credits data is ordered instead: the commit waits
// for its I/O.
import { conversionCredits, cpuConversion } from "./config";
import { block, blockOn, wake, wakeAll } from "./cpu";
import { I, I_ALLOC, I_CONVERSIONS, I_CONVERT_NEXT, I_N, I_WRITTEN, pagesWritten } from "./inode";
import { SWITCH, X, X_DATA_IO, X_STATE, countDown, reserve } from "./journal";
import { endWriteback } from "./pages";
import { P_START, V_DONE, V_LOOP } from "./states";
import { C_NONE } from "./stats";
import {
  Q_RESERVED, Q_TX_LOCKED, T, T_ACC, T_ACC_END, T_ALLOC, T_BODY, T_CREDITS, T_FLAGS, T_INODE, call,
  converter, go,
} from "./task";
import { join } from "./transaction";
import { dataDone } from "./writeback";

let first: i32 = 0;
let last: i32 = 0;
let idle: bool = true;

export function resetConversion(): void {
  first = 0;
  last = 0;
  idle = true;
}

/** A write of inode i's pages has ended; `x`: the transaction that waits for it, 0 = none. */
export function dataWritten(i: i32, pages: i32, x: i32): void {
  if (x != 0) {
    writebackOver(i, pages);
    countDown(x, X_DATA_IO);
    dataDone();
    return;
  }
  const conversions = load<i32>(I(i), I_CONVERSIONS);
  store<i32>(I(i), conversions + 1, I_CONVERSIONS);
  store<i32>(I(i), load<i32>(I(i), I_WRITTEN) + pages, I_WRITTEN);
  if (conversions == 0) {
    store<i32>(I(i), 0, I_CONVERT_NEXT);
    if (first == 0) first = i;
    else store<i32>(I(last), i, I_CONVERT_NEXT);
    last = i;
  }
  if (!idle) return;
  idle = false;
  wake(converter);
}
function writebackOver(i: i32, pages: i32): void {
  endWriteback(pages);
  pagesWritten(i, pages);
}

/**
 * jbd2_journal_start_reserved: its credits are in the running transaction already, so it may join
 * one that is locked, and needs no log space.
 */
export function startReserved(t: i32, x: i32): i32 {
  if (load<i32>(X(x), X_STATE) == SWITCH) return blockOn(t, Q_TX_LOCKED, C_NONE);
  reserve(-conversionCredits);
  wakeAll(Q_RESERVED);
  return join(t, x);
}

// ---- T_PC = V_LOOP: ext4_end_io_end for the inode whose I/O ended first, once for each write
export function convert(t: i32): i32 {
  const i = first;
  if (i == 0) {
    idle = true;
    return block(t, C_NONE);
  }
  store<i32>(T(t), conversionCredits, T_CREDITS);
  store<i32>(T(t), <i32>cpuConversion, T_BODY);
  store<i32>(T(t), 0, T_FLAGS);
  store<u32>(T(t), load<u32>(I(i)), T_INODE);
  store<u32>(T(t), <u32>(T(t) + T_ALLOC), T_ACC);
  store<u32>(T(t), <u32>(T(t) + T_ALLOC), T_ACC_END);
  // The last block that allocating touches is the inode's own.
  const n = <usize>load<u32>(I(i), I_N);
  if (n > 0) {
    store<u32>(T(t), load<u32>(I(i) + ((n - 1) << 2), I_ALLOC), T_ALLOC);
    store<u32>(T(t), <u32>(T(t) + T_ALLOC) + 4, T_ACC_END);
  }
  return call(t, P_START, V_DONE);
}
export function converted(t: i32): i32 {
  const i = first;
  const left = load<i32>(I(i), I_CONVERSIONS) - 1;
  store<i32>(I(i), left, I_CONVERSIONS);
  if (left == 0) {
    first = load<i32>(I(i), I_CONVERT_NEXT);
    writebackOver(i, load<i32>(I(i), I_WRITTEN));
    store<i32>(I(i), 0, I_WRITTEN);
  }
  dataDone();
  return go(t, V_LOOP);
}
