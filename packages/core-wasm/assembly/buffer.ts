// Buffers (journal_head + buffer_head of one file-system block), found by block number. A record
// lives while something depends on it; settled ones are reclaimed by a clock hand, so memory
// follows the live metadata, not the run's length.

// Record, 64 B; bytes 48..63 belong to the judge (crash.ts).
import { block, wake } from "./cpu";
import { judgeSettled } from "./crash";
import { BHASH, BUFFERS, ERR_MEMORY, MAX_HASH, fail } from "./layout";
import { T, T_NEXT } from "./task";

export const B_BLOCK: usize = 0; // home location
export const B_HASH: usize = 4;
export const B_FLAGS: usize = 8;
export const B_TX: usize = 12; // b_transaction, 0 = none
export const B_NEXT_TX: usize = 16; // b_next_transaction
export const B_CP_TX: usize = 20; // b_cp_transaction
export const B_CP_NEXT: usize = 24;
export const B_CP_PREV: usize = 28;
export const B_T_NEXT: usize = 32; // links of its transaction's list
export const B_T_PREV: usize = 36;
export const B_IO: usize = 40; // next buffer of the same request
export const B_WAIT: usize = 44; // tasks waiting for this buffer, task + 1

export const DIRTY: u32 = 1; // may be written home
export const JBDDIRTY: u32 = 2; // dirty, but owned by a transaction
export const LOCKED: u32 = 4; // home write in flight
export const SHADOW: u32 = 8; // its log write is in flight
export const FROZEN: u32 = 16; // the log write uses a copy
export const LOGGED: u32 = 32; // taken off the committing transaction's metadata list
export const ON_FORGET: u32 = 64; // filed on its transaction's forget list by jbd2_journal_forget
export const FREED: u32 = 128; // forgotten while committing: not to be checkpointed
export const PAGE_DIRTY: u32 = 256; // the flusher will look at its page
export const REVOKED: u32 = 512; // the running transaction revoked it

const SOFT_LIMIT: i32 = 65536;

export let bufferTop: i32 = 1; // first record never used
export let liveBuffers: i32 = 0;
export let dirtyBuffers: i32 = 0; // buffers with DIRTY
let freeList: i32 = 0;
let buckets: i32 = 4096;
let shift: u32 = 20;
let hand: i32 = 1;

@inline export function B(b: i32): usize {
  return BUFFERS + ((<usize>b) << 6);
}
@inline export function flags(b: i32): u32 {
  return load<u32>(B(b), B_FLAGS);
}
@inline export function setFlags(b: i32, f: u32): void {
  store<u32>(B(b), f, B_FLAGS);
}
export function setDirty(b: i32): void {
  const f = flags(b);
  if ((f & DIRTY) == 0) {
    dirtyBuffers++;
    setFlags(b, f | DIRTY);
  }
}
export function clearDirty(b: i32): void {
  const f = flags(b);
  if ((f & DIRTY) != 0) {
    dirtyBuffers--;
    setFlags(b, f & ~DIRTY);
  }
}

export function resetBuffers(): void {
  // Records used by an earlier world are cleared here, so a fresh module touches no page it does
  // not need.
  memory.fill(B(0), 0, (<usize>bufferTop) << 6);
  bufferTop = 1;
  liveBuffers = 0;
  dirtyBuffers = 0;
  freeList = 0;
  buckets = 4096;
  shift = 20;
  hand = 1;
  memory.fill(BHASH, 0, (<usize>buckets) << 2);
}

@inline function bucket(block: u32): usize {
  return BHASH + ((<usize>((block * 0x9e3779b1) >> shift)) << 2);
}

/** The buffer of a block, made when there is none. */
export function lookup(block: u32): i32 {
  let b = load<i32>(bucket(block));
  while (b != 0) {
    if (load<u32>(B(b)) == block) return b;
    b = load<i32>(B(b), B_HASH);
  }
  return create(block);
}

function create(block: u32): i32 {
  if (liveBuffers > SOFT_LIMIT) {
    sweep();
    sweep();
  }
  // Before there is a new record, which is in no chain yet.
  if (liveBuffers >= buckets && buckets < MAX_HASH) rehash();
  let b = freeList;
  if (b != 0) {
    freeList = load<i32>(B(b), B_HASH);
    memory.fill(B(b), 0, 64);
  } else {
    b = bufferTop;
    const needed = <i32>(((B(b) + 64) >> 16) + 1) - memory.size();
    if (needed > 0 && memory.grow(max(needed, 64)) < 0 && memory.grow(needed) < 0) {
      fail(ERR_MEMORY, b);
      return 0;
    }
    bufferTop++;
  }
  liveBuffers++;
  store<u32>(B(b), block);
  const p = bucket(block);
  store<i32>(B(b), load<i32>(p), B_HASH);
  store<i32>(p, b);
  return b;
}

function rehash(): void {
  buckets <<= 2;
  shift -= 2;
  memory.fill(BHASH, 0, (<usize>buckets) << 2);
  // Free records are not in the table: they are told apart by the mark that release() leaves in
  // B_TX.
  for (let b = 1; b < bufferTop; b++) {
    if (load<i32>(B(b), B_TX) == -1) continue;
    const block = load<u32>(B(b));
    const p = bucket(block);
    store<i32>(B(b), load<i32>(p), B_HASH);
    store<i32>(p, b);
  }
}

function settled(b: i32): bool {
  return (
    load<i32>(B(b), B_TX) == 0 &&
    load<i32>(B(b), B_NEXT_TX) == 0 &&
    load<i32>(B(b), B_CP_TX) == 0 &&
    (flags(b) & (DIRTY | LOCKED | PAGE_DIRTY)) == 0 &&
    load<i32>(B(b), B_WAIT) == 0 &&
    judgeSettled(b)
  );
}
/** One step of the clock hand. */
function sweep(): void {
  if (++hand >= bufferTop) hand = 1;
  if (!settled(hand)) return;
  const p = bucket(load<u32>(B(hand)));
  let c = load<i32>(p);
  if (c == hand) {
    store<i32>(p, load<i32>(B(hand), B_HASH));
  } else {
    while (load<i32>(B(c), B_HASH) != hand) c = load<i32>(B(c), B_HASH);
    store<i32>(B(c), load<i32>(B(hand), B_HASH), B_HASH);
  }
  store<i32>(B(hand), freeList, B_HASH);
  store<i32>(B(hand), -1, B_TX);
  freeList = hand;
  liveBuffers--;
}

// ---- waiting for one buffer (wait_on_buffer, BH_Shadow)
export function blockOnBuffer(t: i32, b: i32, cls: i32): i32 {
  store<i32>(T(t), 0, T_NEXT);
  let p = B(b) + B_WAIT;
  while (load<i32>(p) != 0) p = T(load<i32>(p) - 1) + T_NEXT;
  store<i32>(p, t + 1);
  return block(t, cls);
}
export function wakeBuffer(b: i32): void {
  let t = load<i32>(B(b), B_WAIT);
  store<i32>(B(b), 0, B_WAIT);
  while (t != 0) {
    const next = load<i32>(T(t - 1), T_NEXT);
    wake(t - 1);
    t = next;
  }
}
