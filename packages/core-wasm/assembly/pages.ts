// The page cache's dirty pages: those of the block device (metadata, one buffer each) and the
// counts of all of them.
import { B, B_BLOCK, PAGE_DIRTY, flags, setFlags } from "./buffer";
import { backgroundPages, freerunPages } from "./config";
import { block, wake, wakeAll } from "./cpu";
import { EV_FLUSHER, now, push } from "./events";
import { ERR_MEMORY, MAX_SCRATCH, SCRATCH, fail } from "./layout";
import { C_NONE } from "./stats";
import { Q_THROTTLE, flusher } from "./task";

const HALF: i32 = MAX_SCRATCH >> 1;
const PENDING: usize = SCRATCH + ((<usize>HALF) << 3);

export let dirtyPages: i64 = 0;
export let writebackPages: i64 = 0;
/** Blocks whose home write is in flight. */
export let homeInFlight: i32 = 0;
/** When the block device's pages became dirty; -1 = none are. */
export let bdevWhen: i64 = -1;
let heapCount: i32 = 0;
let pendingCount: i32 = 0;
let passActive: bool = false;
let cursor: u32 = 0;
let flusherIdle: bool = true;
let timerArmed: bool = false;

export function resetPages(): void {
  dirtyPages = 0;
  writebackPages = 0;
  homeInFlight = 0;
  bdevWhen = -1;
  heapCount = 0;
  pendingCount = 0;
  passActive = false;
  cursor = 0;
  flusherIdle = true;
  timerArmed = false;
}
export function countHome(blocks: i32): void {
  homeInFlight += blocks;
}

@inline function key(b: i32): u64 {
  return ((<u64>load<u32>(B(b), B_BLOCK)) << 32) | (<u64>(<u32>b));
}
@inline function slot(i: i32): usize {
  return SCRATCH + ((<usize>i) << 3);
}

// ---- accounting
export function countDirty(pages: i64): void {
  dirtyPages += pages;
  if (dirtyPages > backgroundPages) wakeFlusher();
}
/** Pages leave the dirty state for the device. */
export function startWriteback(pages: i64): void {
  dirtyPages -= pages;
  writebackPages += pages;
}
export function endWriteback(pages: i64): void {
  writebackPages -= pages;
  releaseThrottled();
}
/** balance_dirty_pages: writers sleep above the middle between background and dirty limit. */
@inline export function throttled(): bool {
  return dirtyPages + writebackPages > freerunPages;
}
function releaseThrottled(): void {
  if (!throttled()) wakeAll(Q_THROTTLE);
}
export function idleFlusher(): i32 {
  flusherIdle = true;
  return block(flusher, C_NONE);
}
/**
 * wb_wakeup_delayed, one timer. The kernel's stops while nothing is dirty at all; a mounted file
 * system that is in use always has something.
 */
export function armFlusher(ns: i64): void {
  if (timerArmed) return;
  timerArmed = true;
  push(now + ns, EV_FLUSHER, 0);
}
export function flusherTimerFired(): void {
  timerArmed = false;
}
export function wakeFlusher(): void {
  if (!flusherIdle) return;
  flusherIdle = false;
  wake(flusher);
}

// ---- pages of the block device
/**
 * mark_buffer_dirty: the flusher will look at the page of b. A pass under way takes what lies
 * ahead of it.
 */
export function dirtyBdevPage(b: i32): void {
  if ((flags(b) & PAGE_DIRTY) != 0) return;
  setFlags(b, flags(b) | PAGE_DIRTY);
  if (bdevWhen < 0) bdevWhen = now;
  if (passActive && load<u32>(B(b), B_BLOCK) > cursor) pushHeap(key(b));
  else keepForNext(b);
  countDirty(1);
}
/** The page could not be written now (its buffer is locked); it stays dirty. */
export function keepForNext(b: i32): void {
  if (pendingCount >= HALF) fail(ERR_MEMORY, pendingCount);
  else {
    store<i32>(PENDING + ((<usize>pendingCount) << 2), b);
    pendingCount++;
  }
}
export function cleanBdevPage(b: i32): void {
  setFlags(b, flags(b) & ~PAGE_DIRTY);
  dirtyPages--;
  releaseThrottled();
}
export function beginPass(): void {
  passActive = true;
  cursor = 0;
  for (let i = 0; i < pendingCount; i++) pushHeap(key(load<i32>(PENDING + ((<usize>i) << 2))));
  pendingCount = 0;
}
/** The page the pass has to look at, 0 at its end. */
export function passHead(): i32 {
  return heapCount == 0 ? 0 : <i32>(load<u64>(SCRATCH) & 0xffffffff);
}
export function passNext(): void {
  cursor = <u32>(load<u64>(SCRATCH) >> 32);
  const last = load<u64>(slot(--heapCount));
  let i = 0;
  while (true) {
    let c = (i << 1) + 1;
    if (c >= heapCount) break;
    if (c + 1 < heapCount && load<u64>(slot(c + 1)) < load<u64>(slot(c))) c++;
    if (load<u64>(slot(c)) >= last) break;
    store<u64>(slot(i), load<u64>(slot(c)));
    i = c;
  }
  store<u64>(slot(i), last);
}
/**
 * The pass is over. redirty_tail: pages dirty by now make the device as old as it was, unless a
 * newer inode waits for writeback too.
 */
export function endPass(newestInode: i64): void {
  passActive = false;
  if (pendingCount == 0) bdevWhen = -1;
  else if (bdevWhen < newestInode) bdevWhen = now;
}
function pushHeap(k: u64): void {
  if (heapCount >= HALF) {
    fail(ERR_MEMORY, heapCount);
    return;
  }
  let i = heapCount++;
  while (i > 0) {
    const p = (i - 1) >> 1;
    const pk = load<u64>(slot(p));
    if (pk <= k) break;
    store<u64>(slot(i), pk);
    i = p;
  }
  store<u64>(slot(i), k);
}
