// The judge of crash consistency. It sees durable history only - what was logged where, which
// commit records, tails, home writes and flushes reached the medium - and shares no code and no
// state with the journal.
//
// Durable state at a power cut = durable tail + commit records + log copies between them + home
// versions covered by a flush. A block is safe when its newest durably committed version is either
// in the live log or durable at home. Worst case: a completed but unflushed write counts as lost, a
// submitted tail update as already durable. A version of a block is the tid of the transaction that
// modified it last.

// The judge's quarter of a buffer record.
import { devCache, infiniteLog, journalBlocks } from "./config";
import { DG_LOSS, TR_TAIL_SUBMITTED, note, now, tell, tracing } from "./events";
import { BUFFERS, MAX_RING, MAX_WINDOWS, RING, WINDOWS } from "./layout";
import { ST_CUTS, ST_WINDOWS, ST_WINDOW_NS, add, stat } from "./stats";

const J_MEMORY: usize = 48; // version in memory
const J_COMMITTED: usize = 52; // newest durably committed version, 0 = nothing to lose
const J_HOME: usize = 56; // version of the last completed home write
const J_STAMP: usize = 60; // its number; durable once <= durableStamp
const J_BLOCK: usize = 0; // the block number, for the report

export const VIOLATION_NONE: i32 = 0;
/** Home write of a version whose commit is not durable. */
export const VIOLATION_UNCOMMITTED_HOME: i32 = 1;
/** Log block reused that the durable tail still needs. */
export const VIOLATION_LOG_OVERWRITTEN: i32 = 2;
/** A commit record became durable before all of its log blocks. */
export const VIOLATION_EARLY_RECORD: i32 = 3;

export let violation: i32 = 0;
export let violationBlock: u32 = 0;
export let openWindows: i32 = 0;
let writeStamp: u32 = 0; // number of the last write that completed
let logStamp: u32 = 0; // that of the last log write
let logPending: i32 = 0; // log blocks handed out whose write did not complete
let durableStamp: u32 = 0;
let ringSize: u32 = 1;
let durableTail: u32 = 0;

@inline function J(b: i32): usize {
  return BUFFERS + ((<usize>b) << 6);
}
@inline function cell(position: u32): usize {
  return RING + ((<usize>(position % ringSize)) << 2);
}

export function resetJudge(firstPosition: u32): void {
  violation = VIOLATION_NONE;
  violationBlock = 0;
  openWindows = 0;
  writeStamp = 0;
  logStamp = 0;
  logPending = 0;
  durableStamp = 0;
  ringSize = infiniteLog ? <u32>MAX_RING : <u32>(journalBlocks - 1);
  durableTail = firstPosition;
}

function violate(kind: i32, block: u32): void {
  if (violation != VIOLATION_NONE) return;
  violation = kind;
  violationBlock = block;
}

/** Transaction `tid` changed buffer b in memory. */
@inline export function judgeModified(b: i32, tid: u32): void {
  store<u32>(J(b), tid, J_MEMORY);
}
/** The log block at `position` now holds buffer b (0 = descriptor, revoke or commit block). */
export function judgeLogged(position: u32, b: i32): void {
  if (!infiniteLog && position - durableTail >= ringSize) {
    violate(VIOLATION_LOG_OVERWRITTEN, position);
  }
  store<i32>(cell(position), b);
  logPending++;
}
/** Log blocks are on the device, in its cache at least. */
export function judgeLogDone(blocks: i32): void {
  logPending -= blocks;
  logStamp = ++writeStamp;
  if (!devCache) durableStamp = writeStamp;
}
export function judgeHomeSubmitted(b: i32): void {
  if (load<u32>(J(b), J_MEMORY) != load<u32>(J(b), J_COMMITTED)) {
    violate(VIOLATION_UNCOMMITTED_HOME, load<u32>(J(b), J_BLOCK));
  }
}
export function judgeHomeDone(b: i32): void {
  // What was submitted was the committed version (else a violation); memory may have been freed
  // since.
  const lost = load<u32>(J(b), J_HOME) == OPEN;
  if (!lost) store<u32>(J(b), load<u32>(J(b), J_COMMITTED), J_HOME);
  store<u32>(J(b), ++writeStamp, J_STAMP);
  if (!devCache) durableStamp = writeStamp;
  add(ST_CUTS, 1);
}
/** What a flush issued now will cover. */
@inline export function flushStamp(): u32 {
  return writeStamp;
}
export function judgeFlushed(stamp: u32): void {
  if (stamp > durableStamp) durableStamp = stamp;
  add(ST_CUTS, 1);
}
/** The commit record of `tid` is durable; its log blocks are [from, to). */
export function judgeCommitted(tid: u32, from: u32, to: u32): void {
  logPending--; // the record itself, written with FUA
  if (logPending != 0 || logStamp > durableStamp) violate(VIOLATION_EARLY_RECORD, tid);
  for (let p = from; p != to; p++) {
    const b = load<i32>(cell(p));
    if (b == 0) continue;
    closeWindow(b);
    store<u32>(J(b), tid, J_COMMITTED);
  }
  add(ST_CUTS, 1);
}
/** The committed transaction revoked b: replay skips it, nothing of it can be lost any more. */
export function judgeRevoked(b: i32): void {
  closeWindow(b);
  store<u32>(J(b), 0, J_COMMITTED);
}
/**
 * True when nothing about b matters to the judge any more: a fresh record would be judged the
 * same.
 */
export function judgeSettled(b: i32): bool {
  const committed = load<u32>(J(b), J_COMMITTED);
  if (committed == 0) return true;
  return (
    load<u32>(J(b), J_HOME) == committed &&
    load<u32>(J(b), J_STAMP) <= durableStamp &&
    load<u32>(J(b), J_MEMORY) == committed
  );
}

/**
 * A superblock write that moves the tail from `from` to `to` (first live tid `tid`) was submitted:
 * it may be durable.
 */
export function judgeTailSubmitted(from: u32, to: u32, tid: u32): void {
  for (let p = from; p != to; p++) {
    const b = load<i32>(cell(p));
    if (b == 0) continue;
    const committed = load<u32>(J(b), J_COMMITTED);
    if (committed == 0 || committed >= tid) continue;
    const safe =
      load<u32>(J(b), J_HOME) == committed && load<u32>(J(b), J_STAMP) <= durableStamp;
    if (!safe) openWindow(b, committed, tid);
  }
  if (tracing) tell(TR_TAIL_SUBMITTED, tid, to);
  add(ST_CUTS, 2);
}
export function judgeTailDurable(to: u32): void {
  durableTail = to;
  add(ST_CUTS, 1);
}

// ---- loss windows: the first 64 as records {block, tid, tailTid, from, to}; open while the
// buffer's
// J_HOME is the mark below, which no tid ever is.
const OPEN: u32 = 0xffffffff;

function openWindow(b: i32, tid: u32, tailTid: u32): void {
  if (load<u32>(J(b), J_HOME) == OPEN) return;
  store<u32>(J(b), OPEN, J_HOME);
  const n = <i32>stat(ST_WINDOWS);
  if (n < MAX_WINDOWS) {
    const w = WINDOWS + <usize>(n * 48);
    store<f64>(w, <f64>load<u32>(J(b), J_BLOCK));
    store<f64>(w, <f64>tid, 8);
    store<f64>(w, <f64>tailTid, 16);
    store<f64>(w, <f64>now, 24);
    store<f64>(w, -1, 32);
  }
  openWindows++;
  add(ST_WINDOWS, 1);
  add(ST_WINDOW_NS, -(<f64>now));
  note(DG_LOSS, load<u32>(J(b), J_BLOCK), tid);
}
function closeWindow(b: i32): void {
  if (load<u32>(J(b), J_HOME) != OPEN) return;
  store<u32>(J(b), 0, J_HOME);
  const block = <f64>load<u32>(J(b), J_BLOCK);
  const n = min(<i32>stat(ST_WINDOWS), MAX_WINDOWS);
  for (let i = 0; i < n; i++) {
    const w = WINDOWS + <usize>(i * 48);
    if (load<f64>(w) == block && load<f64>(w, 32) < 0) store<f64>(w, <f64>now, 32);
  }
  openWindows--;
  add(ST_WINDOW_NS, <f64>now);
  note(DG_LOSS, load<u32>(J(b), J_BLOCK), 0);
}
