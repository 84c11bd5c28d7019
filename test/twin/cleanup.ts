// The checkpoint lists (checkpoint.c): what may leave an old transaction's list, and when.
import { type Buffer, Note, Phase, type Task, type Transaction } from "./state.js";
import type { World } from "./world.js";

/**
 * __jbd2_journal_insert_checkpoint: at the head. Buffers come in reverse touch order, so the first
 * touched ends up at the head.
 */
export function addToCheckpoint(w: World, b: Buffer, transaction: Transaction): void {
  b.checkpoint = transaction;
  transaction.checkpoint.addFirst(b);
  w.clock.tell(Note.Listed, b.block, transaction.tid);
}
/** __jbd2_journal_remove_checkpoint: true when that dropped the transaction. */
export function removeFromCheckpoint(w: World, b: Buffer): boolean {
  const transaction = b.checkpoint as Transaction;
  b.checkpoint = undefined;
  transaction.checkpoint.remove(b);
  w.clock.tell(Note.Unlisted, b.block, transaction.tid);
  if (transaction.checkpoint.size > 0 || transaction.phase !== Phase.Finished) return false;
  w.journal.drop(transaction);
  return true;
}

/** The cleanup rule: why a buffer has to stay on its list, undefined when it may go. */
function busy(w: World, b: Buffer): "stopRejoined" | "stopLocked" | "stopDirty" | undefined {
  if (w.limits.checksRejoined && b.transaction !== undefined) return "stopRejoined";
  if (b.locked) return "stopLocked";
  return b.dirty ? "stopDirty" : undefined;
}

interface Scan {
  /** It bails out when it has to give up its CPU. */
  readonly task: Task;
  /** Buffers looked at, buffers removed. */
  scanned: number;
  freed: number;
  budget: number;
}

/** journal_shrink_one_cp_list: true when the transaction was dropped. */
function cleanOne(w: World, transaction: Transaction, skip: boolean, scan: Scan): boolean {
  for (const b of transaction.checkpoint) {
    if (scan.budget-- <= 0) return false;
    scan.scanned++;
    const why = busy(w, b);
    if (why !== undefined) {
      w.counters.cleanup[why]++;
      if (skip) continue;
      return false;
    }
    if (b.transaction !== undefined) w.counters.cleanup.freedRejoined++;
    scan.freed++;
    if (removeFromCheckpoint(w, b)) return true;
    if (scan.task.resched) return false;
  }
  return false;
}
/**
 * __jbd2_journal_clean_checkpoint_list: oldest first; when it stops at busy buffers, then also at
 * the first transaction that it could not drop. Returns the number of buffers looked at.
 */
export function cleanLists(w: World, task: Task, skip: boolean, budget: number): number {
  const scan: Scan = { task, scanned: 0, freed: 0, budget };
  for (const transaction of [...w.journal.checkpoints]) {
    const dropped = cleanOne(w, transaction, skip, scan);
    if (scan.budget <= 0 || task.resched || (!dropped && !skip)) break;
  }
  w.counters.cleanup.scanned += scan.scanned;
  w.counters.cleanup.freed += scan.freed;
  return scan.scanned;
}
/** Cleanup as the world's kernel does it at a commit. */
export function cleanByRule(w: World, task: Task): number {
  return cleanLists(w, task, w.limits.skipsBusy, Number.POSITIVE_INFINITY);
}
/**
 * jbd2_journal_shrink_checkpoint_list: from where it stopped, skipping busy buffers, to the newest
 * transaction or until `count` buffers were freed. Returns the number of buffers looked at.
 */
export function shrinkLists(w: World, task: Task, count: number): number {
  const { journal } = w;
  const all = [...journal.checkpoints];
  const from = journal.shrinkNext === undefined ? 0 : all.indexOf(journal.shrinkNext);
  const scan: Scan = { task, scanned: 0, freed: 0, budget: Number.POSITIVE_INFINITY };
  for (let i = Math.max(from, 0); i < all.length; i++) {
    cleanOne(w, all[i] as Transaction, true, scan);
    journal.shrinkNext = all[i + 1];
    if (scan.freed >= count) break;
  }
  return scan.scanned;
}
