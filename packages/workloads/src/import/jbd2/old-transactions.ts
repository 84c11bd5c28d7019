import { ImportError } from "../import-error.js";
import { controlBlockIntact, refuseDamagedHeader, verifyControlBlock } from "./control-blocks.js";
import { BlockType, headerOf, type JournalLog, tidDifference } from "./log.js";
import {
  type BrokenTransaction,
  type JournalTransaction,
  type Walk,
  walkTransaction,
} from "./transaction.js";

/** What the part of the log outside the live transactions still holds. */
export interface OldTransactions {
  /** Whole transactions that were checkpointed already, oldest first. */
  readonly whole: JournalTransaction[];
  /** Transactions of which a part was overwritten or damaged, oldest first. */
  readonly partial: BrokenTransaction[];
  /**
   * Ids of commit records that are not older than the journal's own sequence: left by an earlier
   * journal, or cut off.
   */
  readonly later: number[];
  /** Control blocks whose checksum does not fit: another journal's, or torn. */
  readonly foreign: number;
}

interface ControlBlock {
  readonly at: number;
  readonly type: number;
  readonly tid: number;
}

/** A stretch of the ring to search. */
export interface Stretch {
  readonly from: number;
  readonly blocks: number;
  /** Transactions in it are older than this id. */
  readonly before: number;
  /** Nothing live exists: damage that a checksum proves throws instead of being reported. */
  readonly strict: boolean;
}

/**
 * Finds transactions by sequence. A chain of blocks is whole when it starts right after an older
 * commit record or at the log's first block, and reaches its own commit record: the log is
 * overwritten in ascending order, so only the beginning of the oldest one can be missing.
 */
export function findOldTransactions(log: JournalLog, stretch: Stretch): OldTransactions {
  const { found, foreign } = controlBlocks(log, stretch);
  const after = new Map<number, number>();
  for (const { at, type, tid } of found) {
    if (type === BlockType.Commit) {
      after.set(log.after(at), tid);
    }
  }
  if (stretch.strict) {
    refuseDamagedStarts(log, found, after);
  }
  const older = found.filter(({ tid }) => tidDifference(tid, stretch.before) < 0);
  const whole = new Map<number, JournalTransaction>();
  const partial = new Map<number, BrokenTransaction>();
  const taken = new Set<number>();
  for (const block of older) {
    if (taken.has(block.at) || !isStart(log, block, after)) {
      continue;
    }
    const walk = walkOld(log, block, stretch.strict);
    if ("transaction" in walk) {
      whole.set(block.tid, walk.transaction);
      take(log, taken, block.at, walk.transaction.logBlocks);
    } else {
      partial.set(block.tid, walk.broken);
    }
  }
  for (const { at, tid } of older) {
    if (!whole.has(tid) && !partial.has(tid)) {
      const reason = "its beginning was overwritten";
      partial.set(tid, { tid, logStart: at, blocks: 0, stoppedAt: at, reason });
    }
  }
  const byAge = (a: { tid: number }, b: { tid: number }): number => tidDifference(a.tid, b.tid);
  return {
    whole: [...whole.values()].sort(byAge),
    partial: [...partial.values()].sort(byAge),
    later: laterCommits(found, stretch.before),
    foreign,
  };
}

/**
 * The log block after the newest commit record that is older than `before`; undefined without
 * any.
 */
export function blockAfterNewest(log: JournalLog, before: number): number | undefined {
  const { first } = log.superblock;
  const stretch = { from: first, blocks: log.length, before, strict: false };
  let newest: ControlBlock | undefined;
  for (const block of controlBlocks(log, stretch).found) {
    const old = block.type === BlockType.Commit && tidDifference(block.tid, before) < 0;
    if (old && (newest === undefined || tidDifference(block.tid, newest.tid) > 0)) {
      newest = block;
    }
  }
  return newest === undefined ? undefined : log.after(newest.at);
}

function controlBlocks(
  log: JournalLog,
  stretch: Stretch,
): { found: ControlBlock[]; foreign: number } {
  const found: ControlBlock[] = [];
  let foreign = 0;
  let at = stretch.from;
  for (let i = 0; i < stretch.blocks; i++) {
    const block = log.block(at);
    const header = headerOf(block);
    if (header !== undefined) {
      const ours = header.type in NAMES && controlBlockIntact(log, block, header.type);
      if (ours) {
        found.push({ at, type: header.type, tid: header.sequence });
      } else {
        foreign++;
      }
    }
    at = log.after(at);
  }
  return { found, foreign };
}

const NAMES = { [BlockType.Descriptor]: 1, [BlockType.Commit]: 1, [BlockType.Revoke]: 1 };

/** `after`: log block after each commit record, with its id. */
function isStart(log: JournalLog, block: ControlBlock, after: Map<number, number>): boolean {
  const previous = after.get(block.at);
  if (previous !== undefined) {
    return tidDifference(block.tid, previous) > 0;
  }
  return block.at === log.superblock.first && block.type !== BlockType.Commit;
}

function walkOld(log: JournalLog, { at, tid }: ControlBlock, strict: boolean): Walk {
  try {
    return walkTransaction(log, at, tid, "report");
  } catch (error) {
    if (strict || !(error instanceof ImportError)) {
      throw error;
    }
    const reason = `it is damaged (expected ${error.expected}, found ${error.found})`;
    return { broken: { tid, logStart: at, blocks: 0, stoppedAt: at, reason } };
  }
}

function take(log: JournalLog, taken: Set<number>, from: number, blocks: number): void {
  let at = from;
  for (let i = 0; i < blocks; i++) {
    taken.add(at);
    at = log.after(at);
  }
}

/** Each block where a transaction should begin either begins one or was really overwritten. */
function refuseDamagedStarts(
  log: JournalLog,
  found: readonly ControlBlock[],
  after: Map<number, number>,
): void {
  for (const [at, tid] of after) {
    // A clean unmount and the mount after it skip two ids.
    refuseDamagedStart(
      log,
      at,
      [1, 2, 3].map((step) => (tid + step) >>> 0),
    );
  }
  const lowest = found.reduce<ControlBlock | undefined>(
    (low, block) => (low === undefined || block.at < low.at ? block : low),
    undefined,
  );
  if (lowest !== undefined) {
    refuseDamagedStart(log, log.superblock.first, [lowest.tid]);
  }
}

/** Throws when `at` holds the damaged beginning of one of the transactions `tids`. */
function refuseDamagedStart(log: JournalLog, at: number, tids: readonly number[]): void {
  const block = log.block(at);
  const header = headerOf(block);
  if (header !== undefined && header.type in NAMES && tids.includes(header.sequence)) {
    verifyControlBlock(log, at, block);
    return;
  }
  for (const tid of tids) {
    refuseDamagedHeader(log, at, tid);
  }
}

function laterCommits(found: readonly ControlBlock[], before: number): number[] {
  const ids = found
    .filter(({ type, tid }) => type === BlockType.Commit && tidDifference(tid, before) >= 0)
    .map(({ tid }) => tid);
  return [...new Set(ids)];
}
