// The block device: tags, one serial pipe, an overlapping latency stage, a volatile cache with
// flush and FUA, and for disks a seek model with an elevator. It knows requests, not what they
// mean: completions go to sim.ts.

// Record, 64 B.
import {
  devBlock, devCache, devFlush, devFua, devJitter, devLatency, devParallel, devQueue, devRotation,
  devSeekMax, devSeekMin, seed,
} from "./config";
import { block, wake } from "./cpu";
import { flushStamp } from "./crash";
import { EV_DEVICE, EV_IO, now, push } from "./events";
import { ERR_REQUESTS, MAX_REQUESTS, REQUESTS, SLOTS, fail } from "./layout";
import { ST_FLUSHES, add } from "./stats";

export const R_KIND: usize = 0;
export const R_BLOCKS: usize = 4;
export const R_LBA: usize = 8;
export const R_FIRST: usize = 12; // chain of buffers by B_IO
export const R_LAST: usize = 16;
export const R_TASK: usize = 20; // task + 1 to wake when done
export const R_TX: usize = 24; // log and data: transaction
export const R_NEXT: usize = 28;
export const R_STAMP: usize = 32; // flush: what it covers
export const R_PHASE: usize = 36; // record: 0 preflush, 1 write
export const R_OWNER: usize = 40; // task + 1 that waits for a tag
export const R_INO: usize = 44;
export const R_TID: usize = 48;
export const R_PLAIN: usize = 52; // superblock: 1 = written without FUA

export const RQ_LOG: i32 = 1;
export const RQ_RECORD: i32 = 2; // commit record: preflush, then FUA write
export const RQ_FLUSH: i32 = 3;
export const RQ_SUPER: i32 = 4; // journal superblock, FUA
export const RQ_HOME: i32 = 5;
export const RQ_DATA: i32 = 6;

// Seek model: where things lie (assumed): a 256 GiB span with the journal in its middle, as mke2fs
// places it.
const SPAN: u32 = 1 << 26;
export const JOURNAL_LBA: u32 = 1 << 25;

export let inFlight: i32 = 0;
export let queued: i32 = 0;
let pipeFree: i64 = 0;
let slot: i32 = 0;
let freeRequest: i32 = 0;
let topRequest: i32 = 1;
let tagHead: i32 = 0;
let tagTail: i32 = 0;
let pendHead: i32 = 0;
let pendTail: i32 = 0;
let busy: bool = false;
let headLba: u32 = 0;
let random: u32 = 1;

@inline export function R(r: i32): usize {
  return REQUESTS + ((<usize>r) << 6);
}

export function resetDevice(): void {
  inFlight = 0;
  queued = 0;
  pipeFree = 0;
  slot = 0;
  freeRequest = 0;
  topRequest = 1;
  tagHead = 0;
  tagTail = 0;
  pendHead = 0;
  pendTail = 0;
  busy = false;
  headLba = 0;
  random = (seed * 2654435761) ^ 0x5bd1e995;
  if (random == 0) random = 1;
  memory.fill(SLOTS, 0, 8 * 1024);
}

/** xorshift32 (Marsaglia), for jitter only. */
function draw(): u32 {
  random ^= random << 13;
  random ^= random >> 17;
  random ^= random << 5;
  return random;
}
function jittered(ns: i64): i64 {
  if (devJitter == 0 || ns == 0) return ns;
  const span = <u32>(2 * devJitter + 1);
  return (ns * (1000 - devJitter + <i64>(draw() % span))) / 1000;
}

export function newRequest(kind: i32, lba: u32): i32 {
  let r = freeRequest;
  if (r != 0) {
    freeRequest = load<i32>(R(r), R_NEXT);
  } else {
    if (topRequest >= MAX_REQUESTS) {
      fail(ERR_REQUESTS, topRequest);
      return 0;
    }
    r = topRequest++;
  }
  memory.fill(R(r), 0, 64);
  store<i32>(R(r), kind);
  store<u32>(R(r), lba, R_LBA);
  return r;
}
export function freeRequestRecord(r: i32): void {
  store<i32>(R(r), freeRequest, R_NEXT);
  freeRequest = r;
}

/**
 * Hands a request to the device. True: it has a tag. False: all tags are taken, the task was
 * blocked (stall class `cls`) and runs again when its request got one.
 */
export function submit(t: i32, r: i32, cls: i32): bool {
  if (inFlight < devQueue && tagHead == 0) {
    inFlight++;
    begin(r);
    return true;
  }
  store<i32>(R(r), t + 1, R_OWNER);
  line(r);
  block(t, cls);
  return false;
}
/** The same without a submitter that waits for the tag. */
export function submitQuiet(r: i32): void {
  if (inFlight < devQueue && tagHead == 0) {
    inFlight++;
    begin(r);
  } else {
    line(r);
  }
}
function line(r: i32): void {
  queued++;
  if (tagTail == 0) tagHead = r;
  else store<i32>(R(tagTail), r, R_NEXT);
  tagTail = r;
}
/** A request completed for good: its tag goes to the next in line. */
export function releaseTag(): void {
  inFlight--;
  if (tagHead == 0) return;
  const r = tagHead;
  tagHead = load<i32>(R(r), R_NEXT);
  if (tagHead == 0) tagTail = 0;
  store<i32>(R(r), 0, R_NEXT);
  queued--;
  inFlight++;
  begin(r);
  const owner = load<i32>(R(r), R_OWNER) - 1;
  if (owner >= 0) wake(owner);
}

@inline function isFlush(r: i32): bool {
  const kind = load<i32>(R(r));
  return kind == RQ_FLUSH || (kind == RQ_RECORD && load<i32>(R(r), R_PHASE) == 0);
}
function service(r: i32): i64 {
  if (isFlush(r)) return devFlush;
  const kind = load<i32>(R(r));
  let ns = devBlock * <i64>load<i32>(R(r), R_BLOCKS);
  const fua = kind == RQ_RECORD || (kind == RQ_SUPER && load<i32>(R(r), R_PLAIN) == 0);
  if (devCache && fua) ns += devFua;
  return ns;
}

/** Starts (a phase of) a request that holds a tag. */
export function begin(r: i32): void {
  if (load<i32>(R(r)) == RQ_RECORD && !devCache) store<i32>(R(r), 1, R_PHASE);
  if (isFlush(r)) {
    store<u32>(R(r), flushStamp(), R_STAMP);
    add(ST_FLUSHES, 1);
  }
  if (devSeekMax > 0) {
    if (pendTail == 0) pendHead = r;
    else store<i32>(R(pendTail), r, R_NEXT);
    pendTail = r;
    store<i32>(R(r), 0, R_NEXT);
    if (!busy) pick();
    return;
  }
  const p = SLOTS + ((<usize>slot) << 3);
  if (++slot >= devParallel) slot = 0;
  let start = now > pipeFree ? now : pipeFree;
  const slotFree = load<i64>(p);
  if (slotFree > start) start = slotFree;
  pipeFree = start + jittered(service(r));
  const done = pipeFree + jittered(devLatency);
  store<i64>(p, done);
  push(done, EV_IO, r);
}

/** Elevator (C-LOOK) over what is pending; nothing passes a flush. */
function pick(): void {
  let best = 0;
  let bestPrev = 0;
  let bestKey: u64 = 0;
  let prev = 0;
  let r = pendHead;
  while (r != 0) {
    if (isFlush(r)) {
      if (prev == 0) best = r;
      break;
    }
    const lba = load<u32>(R(r), R_LBA) & (SPAN - 1);
    const key = lba >= headLba ? <u64>lba : <u64>lba + <u64>SPAN;
    if (best == 0 || key < bestKey) {
      best = r;
      bestPrev = prev;
      bestKey = key;
    }
    prev = r;
    r = load<i32>(R(r), R_NEXT);
  }
  if (best == 0) return;
  const next = load<i32>(R(best), R_NEXT);
  if (bestPrev == 0) pendHead = next;
  else store<i32>(R(bestPrev), next, R_NEXT);
  if (pendTail == best) pendTail = bestPrev;
  store<i32>(R(best), 0, R_NEXT);
  busy = true;
  let ns = service(best);
  if (!isFlush(best)) {
    const lba = load<u32>(R(best), R_LBA) & (SPAN - 1);
    const distance = lba > headLba ? lba - headLba : headLba - lba;
    if (distance > 0) {
      const share = Math.sqrt(<f64>distance / <f64>SPAN);
      ns += <i64>(devSeekMin + (devSeekMax - devSeekMin) * share) + devRotation / 2;
    }
    headLba = (lba + load<u32>(R(best), R_BLOCKS)) & (SPAN - 1);
  }
  ns = jittered(ns);
  push(now + ns, EV_DEVICE, 0);
  push(now + ns + jittered(devLatency), EV_IO, best);
}
/** The pipe is free (seek model). */
export function deviceFree(): void {
  busy = false;
  if (pendHead != 0) pick();
}
