// What a handle thread does between handles: reading records, fsync, sync, iteration barriers
// (record layout: see sink.ts).
import { cpuHandle, devCache, threads } from "./config";
import { block, blockOn, burst, wakeAll } from "./cpu";
import { RQ_FLUSH, newRequest, submit } from "./device";
import { DG_ITERATION, note, now } from "./events";
import { I, I_FLIGHT, I_PAGES, I_SYNC_TID, blockOnInode, dirtyInode, findInode } from "./inode";
import { committing, running, tidOf, waitFor } from "./journal";
import { ERR_RECORD, MAX_SAMPLES, RECORDS, RECORD_WORDS, SAMPLES, fail } from "./layout";
import { throttled, wakeFlusher } from "./pages";
import {
  P_AFTER, P_END, P_FETCH, P_FSYNC, P_FSYNC_COMMIT, P_FSYNC_DATA, P_FSYNC_FLUSH, P_START, P_SYNC,
  P_SYNC_COMMIT, P_SYNC_DONE, P_SYNC_META, P_THROTTLE,
} from "./states";
import { C_FSYNC, C_NONE, C_THROTTLE, ST_FILES, ST_HANDLES, ST_SAMPLES, add, stat } from "./stats";
import {
  Q_BARRIER, Q_SYNC, Q_SYNC_META, Q_THROTTLE, T, T_ACC, T_ACC_END, T_ALIVE, T_BODY, T_CREDITS,
  T_CURSOR, T_DATA, T_END, T_FLAGS, T_INO, T_INODE, T_PC, T_TID, T_X, call, go,
} from "./task";
import { completeTransaction } from "./wait-commit";
import { dataRequest, writeInode } from "./writeback";

export const OP_HANDLE: u32 = 1;
export const OP_FSYNC: u32 = 2;
export const OP_SYNC: u32 = 3;
export const OP_ITERATION: u32 = 4;
export const OP_END: u32 = 5;

/**
 * The thread whose records are used up; -1 = none. The host fills its batch and the run goes on.
 */
export let hungry: i32 = -1;
export let alive: i32 = 0;
export let stopAfter: f64 = Infinity;
let waiting: i32 = 0;
/** When the running iteration began; files/s of the threads that have ended it. */
let begun: i64 = 0;
let rate: f64 = 0;

export function resetWorkload(): void {
  hungry = -1;
  alive = threads;
  waiting = 0;
  begun = 0;
  rate = 0;
  stopAfter = Infinity;
  for (let t = 0; t < threads; t++) store<i32>(T(t), 1, T_ALIVE);
}
export function setStopAfter(handles: f64): void {
  stopAfter = handles;
}
@inline export function batch(t: i32): usize {
  return RECORDS + <usize>t * <usize>(RECORD_WORDS << 2);
}
/** The host wrote `words` words of records for the hungry thread. */
export function feed(words: i32): void {
  const t = hungry;
  store<u32>(T(t), <u32>batch(t), T_CURSOR);
  store<u32>(T(t), <u32>batch(t) + (<u32>words << 2), T_END);
  hungry = -1;
}

// ---- T_PC = P_FETCH
export function fetch(t: i32): i32 {
  const p = <usize>load<u32>(T(t), T_CURSOR);
  if (p >= <usize>load<u32>(T(t), T_END)) {
    hungry = t;
    return 0;
  }
  const word = load<u32>(p);
  const op = word & 15;
  if (op == OP_HANDLE) return fetchHandle(t, p, word);
  if (op == OP_FSYNC) {
    store<u32>(T(t), load<u32>(p, 4), T_INODE);
    store<u32>(T(t), <u32>p + 12, T_CURSOR);
    return burst(t, load<u32>(p, 8), P_FSYNC);
  }
  if (op == OP_SYNC) {
    store<u32>(T(t), <u32>p + 8, T_CURSOR);
    return burst(t, load<u32>(p, 4), P_SYNC);
  }
  if (op == OP_ITERATION) {
    store<u32>(T(t), <u32>p + 8, T_CURSOR);
    return barrier(t, <f64>load<u32>(p, 4));
  }
  if (op == OP_END) return go(t, P_END);
  fail(ERR_RECORD, <i32>word);
  return 0;
}
function fetchHandle(t: i32, p: usize, word: u32): i32 {
  const n = <usize>((word >> 8) & 0x1fff);
  store<i32>(T(t), load<i32>(p, 4), T_CREDITS);
  store<i32>(T(t), load<i32>(p, 12) + <i32>cpuHandle, T_BODY);
  store<i32>(T(t), load<i32>(p, 16), T_INODE);
  store<i32>(T(t), <i32>((word >> 4) & 15), T_FLAGS);
  const end = p + 20 + (n << 2);
  store<u32>(T(t), <u32>p + 20, T_ACC);
  store<u32>(T(t), <u32>end, T_ACC_END);
  if ((word >> 24) != 0) {
    store<u32>(T(t), <u32>end, T_DATA);
    store<u32>(T(t), <u32>end + 20 + (load<u32>(end, 16) << 2), T_CURSOR);
  } else {
    store<u32>(T(t), 0, T_DATA);
    store<u32>(T(t), <u32>end, T_CURSOR);
  }
  call(t, P_START, P_AFTER);
  return burst(t, load<u32>(p, 8), P_START);
}
/**
 * The handle is closed: its data pages become dirty, and the writer may have to wait for the
 * flusher.
 */
export function afterHandle(t: i32): i32 {
  const data = <usize>load<u32>(T(t), T_DATA);
  if (stat(ST_HANDLES) >= stopAfter) alive = 0;
  if (data == 0) return go(t, P_FETCH);
  dirtyInode(load<u32>(T(t), T_INODE), data);
  return go(t, P_THROTTLE);
}
export function throttle(t: i32): i32 {
  if (!throttled()) return go(t, P_FETCH);
  wakeFlusher();
  return blockOn(t, Q_THROTTLE, C_THROTTLE);
}

// ---- iterations: all threads meet, the last one takes the sample. Files/s as fs_mark prints them
// (fs_mark.c: aggregate_thread_stats): the sum of every thread's own, each over its own time.
function barrier(t: i32, files: f64): i32 {
  add(ST_FILES, files);
  if (now > begun) rate += (files * 1e9) / <f64>(now - begun);
  store<i32>(T(t), P_FETCH, T_PC);
  waiting++;
  if (waiting < alive) return blockOn(t, Q_BARRIER, C_NONE);
  passBarrier();
  return 1;
}
function passBarrier(): void {
  const n = <i32>stat(ST_SAMPLES);
  if (n < MAX_SAMPLES) {
    const sample = SAMPLES + <usize>n * 24;
    store<f64>(sample, stat(ST_FILES));
    store<f64>(sample, <f64>now, 8);
    store<f64>(sample, rate, 16);
  }
  add(ST_SAMPLES, 1);
  note(DG_ITERATION, <u32>n, <u32>stat(ST_FILES));
  waiting = 0;
  begun = now;
  rate = 0;
  wakeAll(Q_BARRIER);
}
export function end(t: i32): i32 {
  store<i32>(T(t), 0, T_ALIVE);
  alive--;
  if (alive > 0 && waiting == alive) passBarrier();
  return block(t, C_NONE);
}

// ---- fsync (ext4_sync_file): the file's pages, then the commit that covers it
export function fsync(t: i32): i32 {
  const i = findInode(load<u32>(T(t), T_INODE));
  if (i == 0) return go(t, P_FETCH);
  if (load<i32>(I(i), I_PAGES) > 0) {
    store<i32>(T(t), i, T_INO);
    return writeInode(t, P_FSYNC_DATA);
  }
  if (load<i32>(I(i), I_FLIGHT) > 0) return blockOnInode(t, i, C_FSYNC);
  store<u32>(T(t), load<u32>(I(i), I_SYNC_TID), T_TID);
  return go(t, P_FSYNC_COMMIT);
}
export function fsyncData(t: i32): i32 {
  store<i32>(T(t), P_FSYNC, T_PC);
  return submit(t, dataRequest(t), C_FSYNC) ? 1 : 0;
}
export function fsyncCommit(t: i32): i32 {
  return completeTransaction(t, P_FSYNC_FLUSH);
}
export function fsyncFlush(t: i32): i32 {
  store<i32>(T(t), P_FETCH, T_PC);
  if (load<i32>(T(t), T_X) == 0 || !devCache) return 1;
  return waitFor(t, newRequest(RQ_FLUSH, 0), C_FSYNC);
}

// ---- sync: file data, commit, metadata, flush
export function sync(t: i32): i32 {
  store<i32>(T(t), P_SYNC_COMMIT, T_PC);
  wakeFlusher();
  return blockOn(t, Q_SYNC, C_FSYNC);
}
export function syncCommit(t: i32): i32 {
  const x = running != 0 ? running : committing;
  if (x == 0) return go(t, P_SYNC_META);
  store<u32>(T(t), tidOf(x), T_TID);
  return completeTransaction(t, P_SYNC_META);
}
export function syncMeta(t: i32): i32 {
  store<i32>(T(t), P_SYNC_DONE, T_PC);
  wakeFlusher();
  return blockOn(t, Q_SYNC_META, C_FSYNC);
}
export function syncDone(t: i32): i32 {
  store<i32>(T(t), P_FETCH, T_PC);
  return devCache ? waitFor(t, newRequest(RQ_FLUSH, 0), C_FSYNC) : 1;
}
