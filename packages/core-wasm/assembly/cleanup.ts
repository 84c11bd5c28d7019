// The checkpoint lists and the cleanup rule (checkpoint.c): what may leave an old transaction's
// list, and when.

// ---- lists
import { B, B_BLOCK, B_CP_NEXT, B_CP_PREV, B_CP_TX, B_TX, DIRTY, LOCKED, flags } from "./buffer";
import { checkRejoined, skipBusy } from "./config";
import { needResched } from "./cpu";
import { TR_UNSAFE_DROP, tell, tracing } from "./events";
import {
  FINISHED, X, X_CP_COUNT, X_CP_HEAD, X_CP_NEXT, X_CP_PREV, X_STATE, countCheckpointBuffers,
  cpFirst, dropTransaction, setShrinkNext, shrinkNext, tidOf,
} from "./journal";
import {
  ST_CL_FREED, ST_CL_FREED_REJOINED, ST_CL_SCANNED, ST_CL_STOP_DIRTY, ST_CL_STOP_LOCKED,
  ST_CL_STOP_REJOINED, ST_SHRUNK, add,
} from "./stats";

/** __jbd2_journal_insert_checkpoint: at the head, so the first-touched buffer ends up there. */
export function insertCheckpoint(b: i32, x: i32): void {
  store<i32>(B(b), x, B_CP_TX);
  const first = load<i32>(X(x), X_CP_HEAD);
  if (first == 0) {
    store<i32>(B(b), b, B_CP_NEXT);
    store<i32>(B(b), b, B_CP_PREV);
  } else {
    const last = load<i32>(B(first), B_CP_PREV);
    store<i32>(B(b), first, B_CP_NEXT);
    store<i32>(B(b), last, B_CP_PREV);
    store<i32>(B(last), b, B_CP_NEXT);
    store<i32>(B(first), b, B_CP_PREV);
  }
  store<i32>(X(x), b, X_CP_HEAD);
  store<i32>(X(x), load<i32>(X(x), X_CP_COUNT) + 1, X_CP_COUNT);
  countCheckpointBuffers(1);
}
/** __jbd2_journal_remove_checkpoint: true when that dropped the transaction. */
export function removeCheckpoint(b: i32): bool {
  const x = load<i32>(B(b), B_CP_TX);
  const next = load<i32>(B(b), B_CP_NEXT);
  const prev = load<i32>(B(b), B_CP_PREV);
  store<i32>(B(prev), next, B_CP_NEXT);
  store<i32>(B(next), prev, B_CP_PREV);
  if (load<i32>(X(x), X_CP_HEAD) == b) store<i32>(X(x), next == b ? 0 : next, X_CP_HEAD);
  store<i32>(B(b), 0, B_CP_TX);
  store<i32>(X(x), load<i32>(X(x), X_CP_COUNT) - 1, X_CP_COUNT);
  countCheckpointBuffers(-1);
  if (load<i32>(X(x), X_CP_HEAD) != 0 || load<i32>(X(x), X_STATE) != FINISHED) return false;
  dropTransaction(x);
  return true;
}

// ---- the cleanup rule
const BUSY: i32 = -1;
/**
 * jbd2_journal_try_remove_checkpoint under the world's rule: BUSY, 0 removed, 1 removed and
 * transaction dropped.
 */
function tryRemove(b: i32): i32 {
  const rejoined = load<i32>(B(b), B_TX) != 0;
  if (checkRejoined && rejoined) {
    add(ST_CL_STOP_REJOINED, 1);
    return BUSY;
  }
  const f = flags(b);
  if ((f & LOCKED) != 0) {
    add(ST_CL_STOP_LOCKED, 1);
    return BUSY;
  }
  if ((f & DIRTY) != 0) {
    add(ST_CL_STOP_DIRTY, 1);
    return BUSY;
  }
  if (rejoined) {
    add(ST_CL_FREED_REJOINED, 1);
    if (tracing) tell(TR_UNSAFE_DROP, load<u32>(B(b), B_BLOCK), tidOf(load<i32>(B(b), B_CP_TX)));
  }
  return removeCheckpoint(b) ? 1 : 0;
}

let scanBudget: i32 = 0;
let scanned: i32 = 0;
let freed: i32 = 0;
let released: bool = false;
/** journal_shrink_one_cp_list, by task t: it bails out when t has to give up its CPU. */
function cleanOne(t: i32, first: i32, skip: bool): void {
  released = false;
  if (first == 0) return;
  const last = load<i32>(B(first), B_CP_PREV);
  let next = first;
  let b = 0;
  do {
    b = next;
    next = load<i32>(B(b), B_CP_NEXT);
    if (scanBudget-- <= 0) return;
    scanned++;
    const r = tryRemove(b);
    if (r == BUSY) {
      if (skip) continue;
      return;
    }
    freed++;
    if (r == 1) {
      released = true;
      return;
    }
    if (needResched(t)) return;
  } while (b != last);
}
/**
 * __jbd2_journal_clean_checkpoint_list by task t. When it stops at busy buffers it also ends at a
 * transaction that could not be released; when it skips them it looks at all transactions. Returns
 * the number of buffers looked at.
 */
export function cleanLists(t: i32, skip: bool, budget: i32): i32 {
  scanned = 0;
  freed = 0;
  scanBudget = budget;
  if (cpFirst != 0) {
    const last = load<i32>(X(cpFirst), X_CP_PREV);
    let next = cpFirst;
    let x = 0;
    do {
      x = next;
      next = load<i32>(X(x), X_CP_NEXT);
      cleanOne(t, load<i32>(X(x), X_CP_HEAD), skip);
      if (scanBudget <= 0 || needResched(t) || (!released && !skip)) break;
    } while (x != last);
  }
  add(ST_CL_SCANNED, <f64>scanned);
  add(ST_CL_FREED, <f64>freed);
  return scanned;
}
export function cleanByRule(t: i32): i32 {
  return cleanLists(t, skipBusy, i32.MAX_VALUE);
}
/**
 * jbd2_journal_shrink_checkpoint_list: every list, skipping busy buffers, until `count` were
 * freed.
 */
export function shrinkLists(t: i32, count: i32): i32 {
  let looked = 0;
  let left = count;
  if (cpFirst == 0) return 0;
  let x = shrinkNext != 0 ? shrinkNext : cpFirst;
  const last = load<i32>(X(cpFirst), X_CP_PREV);
  while (true) {
    const next = load<i32>(X(x), X_CP_NEXT);
    const isLast = x == last;
    scanned = 0;
    freed = 0;
    scanBudget = i32.MAX_VALUE;
    cleanOne(t, load<i32>(X(x), X_CP_HEAD), true);
    looked += scanned;
    left -= freed;
    add(ST_SHRUNK, <f64>freed);
    setShrinkNext(isLast || cpFirst == 0 ? 0 : next);
    if (isLast || left <= 0 || cpFirst == 0) break;
    x = next;
  }
  return looked;
}

/** Dirty, clean and rejoined buffers of the oldest checkpoint transaction, for a policy's view. */
export let oldestRejoined: i32 = 0;
export let oldestDirty: i32 = 0;
export let oldestClean: i32 = 0;
export function countOldest(): void {
  oldestRejoined = 0;
  oldestDirty = 0;
  oldestClean = 0;
  if (cpFirst == 0) return;
  const first = load<i32>(X(cpFirst), X_CP_HEAD);
  let b = first;
  while (b != 0) {
    if (load<i32>(B(b), B_TX) != 0) oldestRejoined++;
    else if ((flags(b) & (DIRTY | LOCKED)) != 0) oldestDirty++;
    else oldestClean++;
    b = load<i32>(B(b), B_CP_NEXT);
    if (b == first) break;
  }
}
