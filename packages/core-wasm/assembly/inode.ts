// Inodes: their dirty file pages (delayed allocation), the handle that will allocate them, and the
// transaction an fsync has to wait for. A record lives while one of these matters.

// Record, 128 B.
import { block, wake } from "./cpu";
import { now } from "./events";
import { commitSequence } from "./journal";
import { ERR_INODES, IHASH, INODES, MAX_HASH, MAX_INODES, fail } from "./layout";
import { countDirty, startWriteback } from "./pages";
import { T, T_NEXT } from "./task";

export const I_INO: usize = 0;
export const I_HASH: usize = 4;
export const I_PAGES: usize = 8; // dirty pages
export const I_BLOCK: usize = 12; // where the data goes
export const I_CREDITS: usize = 16; // of the handle that allocates it
export const I_CPU: usize = 20;
export const I_N: usize = 24;
export const I_ALLOC: usize = 28; // its accesses, 8 words
export const I_SYNC_TID: usize = 60;
export const I_WHEN: usize = 64; // i64: dirtied
export const I_NEXT: usize = 72; // list in order of I_WHEN
export const I_PREV: usize = 76;
export const I_FLIGHT: usize = 80; // pages being written
export const I_WAIT: usize = 84; // tasks waiting for them, task + 1
export const I_WRITTEN: usize = 88; // pages whose I/O has ended, to be converted
export const I_CONVERSIONS: usize = 92; // one for each write that has ended
export const I_CONVERT_NEXT: usize = 96;

const SOFT_LIMIT: i32 = 16384;
export let dirtyHead: i32 = 0;
let dirtyTail: i32 = 0;
let top: i32 = 1;
let live: i32 = 0;
let freeList: i32 = 0;
let hand: i32 = 1;
let buckets: i32 = 4096;
let shift: u32 = 20;

@inline export function I(i: i32): usize {
  return INODES + ((<usize>i) << 7);
}
@inline function bucket(ino: u32): usize {
  return IHASH + ((<usize>((ino * 0x9e3779b1) >> shift)) << 2);
}

export function resetInodes(): void {
  dirtyHead = 0;
  dirtyTail = 0;
  top = 1;
  live = 0;
  freeList = 0;
  hand = 1;
  buckets = 4096;
  shift = 20;
  memory.fill(IHASH, 0, (<usize>buckets) << 2);
}

export function findInode(ino: u32): i32 {
  let i = load<i32>(bucket(ino));
  while (i != 0 && load<u32>(I(i)) != ino) i = load<i32>(I(i), I_HASH);
  return i;
}
function obtain(ino: u32): i32 {
  let i = findInode(ino);
  if (i != 0) return i;
  if (live > SOFT_LIMIT) {
    sweep();
    sweep();
  }
  if (live >= buckets && buckets < MAX_HASH) rehash();
  i = freeList;
  if (i != 0) {
    freeList = load<i32>(I(i), I_HASH);
  } else {
    if (top >= MAX_INODES) {
      fail(ERR_INODES, top);
      return 0;
    }
    i = top++;
  }
  memory.fill(I(i), 0, 128);
  live++;
  store<u32>(I(i), ino);
  const p = bucket(ino);
  store<i32>(I(i), load<i32>(p), I_HASH);
  store<i32>(p, i);
  return i;
}
function rehash(): void {
  buckets <<= 2;
  shift -= 2;
  memory.fill(IHASH, 0, (<usize>buckets) << 2);
  for (let i = 1; i < top; i++) {
    const ino = load<u32>(I(i)); // 0 marks a free record
    if (ino == 0) continue;
    const p = bucket(ino);
    store<i32>(I(i), load<i32>(p), I_HASH);
    store<i32>(p, i);
  }
}
function sweep(): void {
  if (++hand >= top) hand = 1;
  const p = I(hand);
  const ino = load<u32>(p);
  if (ino == 0 || load<i32>(p, I_PAGES) != 0 || load<i32>(p, I_FLIGHT) != 0) return;
  if (load<i32>(p, I_WAIT) != 0) return;
  if (load<u32>(p, I_SYNC_TID) > commitSequence) return;
  let q = bucket(ino);
  while (load<i32>(q) != hand) q = I(load<i32>(q)) + I_HASH;
  store<i32>(q, load<i32>(p, I_HASH));
  store<u32>(p, 0);
  store<i32>(p, freeList, I_HASH);
  freeList = hand;
  live--;
}

/** i_sync_tid: the transaction that touched the inode last. */
export function setSyncTid(ino: u32, tid: u32): void {
  const i = obtain(ino);
  if (i != 0) store<u32>(I(i), tid, I_SYNC_TID);
}

/**
 * A handle dirtied file pages: `data` is the record's data part (blocks, dataBlock, credits,
 * cpuNs, n, accesses).
 */
export function dirtyInode(ino: u32, data: usize): void {
  const i = obtain(ino);
  if (i == 0) return;
  const blocks = load<i32>(data);
  if (load<i32>(I(i), I_PAGES) == 0) {
    store<u32>(I(i), load<u32>(data, 4), I_BLOCK);
    store<i64>(I(i), now, I_WHEN);
    store<i32>(I(i), 0, I_NEXT);
    store<i32>(I(i), dirtyTail, I_PREV);
    if (dirtyTail == 0) dirtyHead = i;
    else store<i32>(I(dirtyTail), i, I_NEXT);
    dirtyTail = i;
  }
  store<i32>(I(i), load<i32>(I(i), I_PAGES) + blocks, I_PAGES);
  const n = load<i32>(data, 16);
  store<i32>(I(i), load<i32>(data, 8), I_CREDITS);
  store<i32>(I(i), load<i32>(data, 12), I_CPU);
  store<i32>(I(i), n, I_N);
  memory.copy(I(i) + I_ALLOC, data + 20, (<usize>n) << 2);
  countDirty(blocks);
}
/** When the inode dirtied last was dirtied; -1 = none is dirty. */
export function newestDirtied(): i64 {
  return dirtyTail == 0 ? -1 : load<i64>(I(dirtyTail), I_WHEN);
}
/** Takes the inode's dirty pages for writing: off the list, in flight. */
export function takePages(i: i32): void {
  const next = load<i32>(I(i), I_NEXT);
  const prev = load<i32>(I(i), I_PREV);
  if (prev == 0) dirtyHead = next;
  else store<i32>(I(prev), next, I_NEXT);
  if (next == 0) dirtyTail = prev;
  else store<i32>(I(next), prev, I_PREV);
  const pages = load<i32>(I(i), I_PAGES);
  store<i32>(I(i), 0, I_PAGES);
  store<i32>(I(i), load<i32>(I(i), I_FLIGHT) + pages, I_FLIGHT);
  startWriteback(pages);
}
export function blockOnInode(t: i32, i: i32, cls: i32): i32 {
  store<i32>(T(t), load<i32>(I(i), I_WAIT), T_NEXT);
  store<i32>(I(i), t + 1, I_WAIT);
  return block(t, cls);
}
/** `pages` of inode i are on the device. */
export function pagesWritten(i: i32, pages: i32): void {
  const left = load<i32>(I(i), I_FLIGHT) - pages;
  store<i32>(I(i), left, I_FLIGHT);
  if (left != 0) return;
  let t = load<i32>(I(i), I_WAIT);
  store<i32>(I(i), 0, I_WAIT);
  while (t != 0) {
    const next = load<i32>(T(t - 1), T_NEXT);
    wake(t - 1);
    t = next;
  }
}
