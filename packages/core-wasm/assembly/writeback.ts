// Writeback: the flusher (fs-writeback.c) with the handles that allocate delayed data, sync, and
// the shrinker.
import { B, B_TX, DIRTY, LOCKED, flags } from "./buffer";
import { shrinkLists } from "./cleanup";
import {
  backgroundPages, conversionCredits, cpuPage, cpuScan, shrinkInterval, shrinkScan, wbExpire,
  wbInterval, wbPhase,
} from "./config";
import { block, burst, wake } from "./cpu";
import { R, RQ_DATA, R_BLOCKS, R_INO, R_TX, newRequest, submit } from "./device";
import { EV_SHRINK, now, push } from "./events";
import {
  I, I_ALLOC, I_BLOCK, I_CPU, I_CREDITS, I_N, I_PAGES, I_WHEN, dirtyHead, newestDirtied, takePages,
} from "./inode";
import { ERR_STUCK, fail } from "./layout";
import {
  armFlusher, bdevWhen, beginPass, cleanBdevPage, dirtyPages, endPass, flusherTimerFired,
  homeInFlight, idleFlusher, keepForNext, passHead, passNext, wakeFlusher,
} from "./pages";
import { plugHome, unplug } from "./plug";
import { POINT_MEMORY, ask } from "./policy";
import {
  F_DRAIN, F_INODE, F_LOOP, F_NEXT, F_PAGE, F_PASS, F_SUBMIT, P_START, Z_LOOP, Z_SLEEP,
} from "./states";
import { C_NONE, ST_DATA_WRITES, ST_HANDLES, ST_HW_FLUSHER, ST_LOGGED, add, stat } from "./stats";
import {
  Q_SYNC, Q_SYNC_META, T, T_ACC, T_ACC_END, T_ALLOC, T_BODY, T_CREDITS, T_FLAGS, T_INO, T_INODE,
  T_NEXT, T_PAGES, T_PC, T_Y, call, dequeue, flusher, go, kswapd, queueHead,
} from "./task";

const ROUND_NONE: i32 = 0;
const ROUND_OLD: i32 = 1; // what has expired
const ROUND_BACKGROUND: i32 = 2; // down to the background threshold
const ROUND_DATA: i32 = 3; // sync: all inodes
const ROUND_META: i32 = 4; // sync: the block device

let round: i32 = ROUND_NONE;
let cutoff: i64 = 0;
let bdevDone: bool = false;
let due: bool = false;
let lastOld: i64 = 0; // last time the expired were looked for
let passWrote: i32 = 0;
let kswapdIdle: bool = true;
let dataInFlight: i32 = 0;
let draining: bool = false;
let quietWakes: i32 = 0;
let served: i32 = 0;
let progress: f64 = 0;

export function resetWriteback(): void {
  round = ROUND_NONE;
  cutoff = 0;
  bdevDone = false;
  due = false;
  lastOld = -wbInterval;
  armFlusher(wbPhase);
  passWrote = 0;
  kswapdIdle = true;
  dataInFlight = 0;
  draining = false;
  quietWakes = 0;
  progress = 0;
  if (shrinkInterval > 0) push(shrinkInterval, EV_SHRINK, 0);
}

/**
 * The periodic wake-up. Ten thousand of them without a handle or a log write mean that nothing
 * will ever go on.
 */
export function flusherTimer(): void {
  flusherTimerFired();
  due = true;
  const sum = stat(ST_HANDLES) + stat(ST_LOGGED);
  quietWakes = sum == progress ? quietWakes + 1 : 0;
  progress = sum;
  if (quietWakes > 10000) fail(ERR_STUCK, 0);
  wakeFlusher();
}

// ---- T_PC = F_LOOP: what the flusher has to do
export function flusherLoop(t: i32): i32 {
  bdevDone = false;
  cutoff = now;
  if (queueHead(Q_SYNC) >= 0) {
    round = ROUND_DATA;
  } else if (queueHead(Q_SYNC_META) >= 0) {
    round = ROUND_META;
  } else if (dirtyPages > backgroundPages) {
    round = ROUND_BACKGROUND;
  } else if (due && now >= lastOld + wbInterval) {
    round = ROUND_OLD;
    lastOld = now;
  } else {
    round = ROUND_NONE;
    armFlusher(wbInterval);
    due = false;
    return idleFlusher();
  }
  due = false;
  served = 0; // who comes later needs a round of its own
  let w = round < ROUND_DATA ? -1 : queueHead(round == ROUND_DATA ? Q_SYNC : Q_SYNC_META);
  while (w >= 0) {
    served++;
    w = load<i32>(T(w), T_NEXT) - 1;
  }
  return go(t, F_NEXT);
}
/** The oldest dirty thing of the round: an inode's data or, in its turn, the block device. */
export function flusherNext(t: i32): i32 {
  if (round == ROUND_BACKGROUND && dirtyPages <= backgroundPages) return go(t, F_LOOP);
  if (round == ROUND_OLD) cutoff = now - wbExpire;
  const i = round == ROUND_META ? 0 : dirtyHead;
  const inodeReady = i != 0 && load<i64>(I(i), I_WHEN) <= cutoff;
  const bdevReady = round != ROUND_DATA && !bdevDone && bdevWhen >= 0 && bdevWhen <= cutoff;
  if (bdevReady && (!inodeReady || bdevWhen <= load<i64>(I(i), I_WHEN))) return go(t, F_PASS);
  if (inodeReady) {
    store<i32>(T(t), i, T_INO);
    return go(t, F_INODE);
  }
  return go(t, round >= ROUND_DATA ? F_DRAIN : F_LOOP);
}
/** sync waits for what it had written. */
export function flusherDrain(t: i32): i32 {
  if (dataInFlight > 0 || (round == ROUND_META && homeInFlight > 0)) {
    draining = true;
    return block(t, C_NONE);
  }
  for (; served > 0; served--) wake(dequeue(round == ROUND_DATA ? Q_SYNC : Q_SYNC_META));
  return go(t, F_LOOP);
}
function drained(): void {
  if (!draining || dataInFlight > 0 || (round == ROUND_META && homeInFlight > 0)) return;
  draining = false;
  wake(flusher);
}

// ---- data of one inode: the handle that allocates it, then its pages (flusher and fsync)
export function writeInode(t: i32, back: i32): i32 {
  const i = load<i32>(T(t), T_INO);
  store<i32>(T(t), load<i32>(I(i), I_PAGES), T_PAGES);
  takePages(i);
  store<i32>(T(t), load<i32>(I(i), I_CREDITS), T_CREDITS);
  store<i32>(T(t), load<i32>(I(i), I_CPU), T_BODY);
  store<i32>(T(t), 0, T_FLAGS);
  store<u32>(T(t), load<u32>(I(i)), T_INODE);
  memory.copy(T(t) + T_ALLOC, I(i) + I_ALLOC, 32);
  store<u32>(T(t), <u32>(T(t) + T_ALLOC), T_ACC);
  store<u32>(T(t), <u32>(T(t) + T_ALLOC) + (load<u32>(I(i), I_N) << 2), T_ACC_END);
  return call(t, P_START, back);
}
/** After the handle: the pages go out. Returns the request. */
export function dataRequest(t: i32): i32 {
  const i = load<i32>(T(t), T_INO);
  const pages = load<i32>(T(t), T_PAGES);
  const r = newRequest(RQ_DATA, load<u32>(I(i), I_BLOCK));
  store<i32>(R(r), pages, R_BLOCKS);
  store<i32>(R(r), i, R_INO);
  store<i32>(R(r), conversionCredits == 0 ? load<i32>(T(t), T_Y) : 0, R_TX);
  store<i32>(T(t), 0, T_INO);
  add(ST_DATA_WRITES, <f64>pages);
  dataInFlight++;
  return r;
}
export function dataDone(): void {
  dataInFlight--;
  drained();
}
export function homeDone(): void {
  drained();
}
export function flusherInode(t: i32): i32 {
  return writeInode(t, F_SUBMIT);
}
export function flusherSubmit(t: i32): i32 {
  store<i32>(T(t), F_NEXT, T_PC);
  return submit(t, dataRequest(t), C_NONE) ? 1 : 0;
}

// ---- one pass over the block device's dirty pages in block order
export function flusherPass(t: i32): i32 {
  // wb_writeback goes on as long as a turn made progress: the device may have its turn again.
  passWrote = 0;
  beginPass();
  return go(t, F_PAGE);
}
export function flusherPage(t: i32): i32 {
  const b = passHead();
  if (b == 0) {
    endPass(newestDirtied());
    bdevDone = passWrote == 0;
    store<i32>(T(t), F_NEXT, T_PC);
    return unplug(t, C_NONE) ? 1 : 0;
  }
  const f = flags(b);
  if ((f & LOCKED) != 0) {
    keepForNext(b);
  } else {
    if ((f & DIRTY) != 0 && load<i32>(B(b), B_TX) == 0) {
      if (!plugHome(t, b, C_NONE)) return 0;
      add(ST_HW_FLUSHER, 1);
    }
    passWrote++;
    cleanBdevPage(b);
  }
  passNext();
  return burst(t, cpuPage, F_PAGE);
}

// ---- memory pressure
export function shrinkTimer(): void {
  push(now + shrinkInterval, EV_SHRINK, 0);
  if (kswapdIdle) {
    kswapdIdle = false;
    wake(kswapd);
  }
  ask(POINT_MEMORY, -1);
}
export function shrinkLoop(t: i32): i32 {
  return burst(t, cpuScan * <i64>shrinkLists(t, shrinkScan), Z_SLEEP);
}
export function shrinkSleep(t: i32): i32 {
  kswapdIdle = true;
  store<i32>(T(t), Z_LOOP, T_PC);
  return block(t, C_NONE);
}
