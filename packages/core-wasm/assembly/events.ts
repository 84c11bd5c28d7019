// Simulated time, the event queue (binary heap by time, then sequence) and the digest of everything
// that happens.
import { ERR_EVENTS, HEAP, MAX_EVENTS, MAX_TRACE, TRACE, fail } from "./layout";

export const EV_CPU: u32 = 1; // a burst of task `arg` ends
export const EV_RUN: u32 = 2; // task `arg` got a CPU
export const EV_WAKE: u32 = 3; // a sleep of task `arg` ends
export const EV_IO: u32 = 4; // request `arg` completes
export const EV_DEVICE: u32 = 5; // the pipe is free (seek model only)
export const EV_TIMER: u32 = 6; // commit timer
export const EV_FLUSHER: u32 = 7; // periodic writeback
export const EV_SHRINK: u32 = 8; // memory pressure
export const EV_TICK: u32 = 9; // a policy's timer

export let now: i64 = 0;
export let heapCount: i32 = 0;
let sequence: u32 = 0;
export let poppedKind: u32 = 0;
export let poppedArg: i32 = 0;

@inline export function setNow(t: i64): void {
  now = t;
}
@inline function at(i: i32): usize {
  return HEAP + ((<usize>i) << 4);
}
/** Time of the earliest event; call only when heapCount > 0. */
@inline export function earliest(): i64 {
  return load<i64>(HEAP);
}

export function resetEvents(): void {
  now = 0;
  heapCount = 0;
  sequence = 0;
  traceCount = 0;
  hash0 = 0x811c9dc5;
  hash1 = 0x9747b28c;
}

// Entry: time i64, then sequence (high) and kind << 24 | arg (low) as one i64, so ties fall to the
// older event.
export function push(time: i64, kind: u32, arg: i32): void {
  if (heapCount >= MAX_EVENTS) {
    fail(ERR_EVENTS, heapCount);
    return;
  }
  const tail = ((<u64>++sequence) << 32) | (<u64>(kind << 24)) | (<u64>(<u32>arg));
  let i = heapCount++;
  while (i > 0) {
    const p = (i - 1) >> 1;
    const pt = load<i64>(at(p));
    if (pt <= time) break;
    store<i64>(at(i), pt);
    store<u64>(at(i), load<u64>(at(p), 8), 8);
    i = p;
  }
  store<i64>(at(i), time);
  store<u64>(at(i), tail, 8);
}

/** Takes the earliest event: sets now, poppedKind, poppedArg. */
export function pop(): void {
  now = load<i64>(HEAP);
  const word = <u32>load<u64>(HEAP, 8);
  poppedKind = word >> 24;
  poppedArg = <i32>(word & 0xffffff);
  const n = --heapCount;
  if (n == 0) return;
  const time = load<i64>(at(n));
  const tail = load<u64>(at(n), 8);
  let i = 0;
  while (true) {
    let c = (i << 1) + 1;
    if (c >= n) break;
    if (c + 1 < n && before(c + 1, c)) c++;
    const ct = load<i64>(at(c));
    if (ct > time || (ct == time && load<u64>(at(c), 8) > tail)) break;
    store<i64>(at(i), ct);
    store<u64>(at(i), load<u64>(at(c), 8), 8);
    i = c;
  }
  store<i64>(at(i), time);
  store<u64>(at(i), tail, 8);
}

@inline function before(a: i32, b: i32): bool {
  const ta = load<i64>(at(a));
  const tb = load<i64>(at(b));
  return ta < tb || (ta == tb && load<u64>(at(a), 8) < load<u64>(at(b), 8));
}

// ---- digest: two 32-bit lanes, multiply and rotate; the twin computes the same with Math.imul.
export const DG_START: u32 = 1; // handle joined: thread, tid
export const DG_STOP: u32 = 2; // handle stopped: thread, credits used
export const DG_COMMIT: u32 = 3; // commit phase: phase, tid
export const DG_IO: u32 = 4; // request done: kind, blocks
export const DG_TAIL: u32 = 5; // tail moved: tid, freed
export const DG_DROP: u32 = 6; // transaction dropped: tid, written
export const DG_STALL: u32 = 7; // wait ended: class, task
export const DG_LOSS: u32 = 8; // loss window opened or closed: block, tid
export const DG_ITERATION: u32 = 9; // barrier: number, files

// Told to whoever traces the run, but no part of the digest.
export const TR_JOIN: u32 = 16; // a transaction holds the block from now on: block, tid
export const TR_UNSAFE_DROP: u32 = 17; // rejoined, but off its old checkpoint list: block, old tid
export const TR_LOG: u32 = 18; // head of the log, blocks in use
export const TR_FREE: u32 = 20; // a transaction frees the block: block, tid
export const TR_TAIL_SUBMITTED: u32 = 19; // superblock on its way: tid, position

export let tracing: bool = false;
export let traceCount: i32 = 0;
export function setTracing(on: bool): void {
  tracing = on;
  traceCount = 0;
}
/** The host has taken what was traced. */
export function traceTaken(): void {
  traceCount = 0;
}
/** Room is kept for what one event may tell: a commit's cleanup tells of each buffer it drops. */
@inline export function traceFull(): bool {
  return traceCount > MAX_TRACE >> 1;
}
export function tell(code: u32, a: u32, b: u32): void {
  if (!tracing || traceCount >= MAX_TRACE) return;
  const p = TRACE + <usize>(traceCount++ * 24);
  store<f64>(p, <f64>now);
  store<u32>(p, code, 8);
  store<u32>(p, a, 12);
  store<u32>(p, b, 16);
}

export let hash0: u32 = 0x811c9dc5;
export let hash1: u32 = 0x9747b28c;

@inline function mix(h: u32, v: u32): u32 {
  return rotl<u32>((h ^ v) * 0x9e3779b1, 13);
}
export function note(code: u32, a: u32, b: u32): void {
  hash0 = mix(mix(hash0, <u32>now), (code << 24) ^ a);
  hash1 = mix(mix(hash1, <u32>(<u64>now >> 32) ^ a), b ^ code);
  if (tracing) tell(code, a, b);
}
