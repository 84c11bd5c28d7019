import { type ByteSource, openBytes } from "./bytes.js";
import { ImportError } from "./import-error.js";
import { type FastCommitArea, readFastCommits } from "./jbd2/fast-commit.js";
import { JournalLog } from "./jbd2/log.js";
import {
  blockAfterNewest,
  findOldTransactions,
  type OldTransactions,
} from "./jbd2/old-transactions.js";
import { be32, JBD2_MAGIC, type JournalSuperblock, readSuperblock } from "./jbd2/superblock.js";
import {
  type BrokenTransaction,
  type JournalTransaction,
  walkTransaction,
} from "./jbd2/transaction.js";

export type { FastCommitArea } from "./jbd2/fast-commit.js";
export type { OldTransactions } from "./jbd2/old-transactions.js";
export type { ChecksumKind, JournalSuperblock } from "./jbd2/superblock.js";
export type { BrokenTransaction, JournalTransaction } from "./jbd2/transaction.js";

/** How much of what a file holds was used. */
export interface Consumed {
  readonly used: number;
  readonly found: number;
  /** "consumed 2 of 2 transactions" and, when something was left out, why. */
  readonly text: string;
}

/** A jbd2 journal as it was read: the superblock and every transaction the log still holds. */
export interface JournalImage {
  readonly file: string;
  /** "inode": the content of inode 8; "device": an external journal with its file-system header. */
  readonly kind: "inode" | "device";
  readonly superblock: JournalSuperblock;
  /** Committed and not yet checkpointed, oldest first: what recovery would replay. */
  readonly live: readonly JournalTransaction[];
  /** The transaction after them, begun but without its commit record. */
  readonly incomplete: BrokenTransaction | undefined;
  /** Log block at which the live transactions end, and why. */
  readonly end: { readonly block: number; readonly reason: string };
  /** Transactions outside the live part, found by sequence. */
  readonly old: OldTransactions;
  readonly fastCommit: FastCommitArea | undefined;
  /** Live transactions of a dirty journal, old ones of a clean one. */
  readonly transactions: readonly JournalTransaction[];
  readonly consumed: Consumed;
}

const EXT_MAGIC_AT = 1024 + 0x38;
const EXT_INCOMPAT_AT = 1024 + 0x60;
const EXT_JOURNAL_DEV = 0x8;

/**
 * Reads a jbd2 journal: the content of an ext4 journal inode (`debugfs -R "dump <8> file"`) or
 * an external journal device, plain or gzip. Every checksum the journal has is verified. Throws
 * ImportError (file, byte offset, log block, expected, found) on anything that cannot be
 * understood.
 */
export function readJournalImage(file: string): JournalImage {
  const source = openBytes(file);
  try {
    return parseJournalImage(source);
  } finally {
    source.close();
  }
}

/** As `readJournalImage`, from bytes already at hand (see `memorySource`). */
export function parseJournalImage(source: ByteSource): JournalImage {
  const { kind, offset } = locate(source);
  const superblock = readSuperblock(source, offset);
  // Log blocks of an external journal are counted from the start of the device.
  const log = new JournalLog(source, 0, superblock);
  const bytes = superblock.blocks * superblock.blockSize;
  if (source.size < bytes) {
    const expected = `${bytes} bytes (${superblock.blocks} blocks of ${superblock.blockSize})`;
    throw new ImportError(source.file, { offset: source.size }, expected, `${source.size}`);
  }
  const live = readLive(log);
  const old = readOld(log, live);
  const next = live.transactions.at(-1)?.tid ?? (superblock.sequence - 1) >>> 0;
  const fastCommit = readFastCommits(log, (next + 1) >>> 0);
  return {
    file: source.file,
    kind,
    superblock,
    live: live.transactions,
    incomplete: live.incomplete,
    end: live.end,
    old,
    fastCommit,
    transactions: superblock.start === 0 ? old.whole : live.transactions,
    consumed: consumedOf(superblock, live, old),
  };
}

/**
 * True for the first bytes of a journal, or of a file system: reading that one says how to take
 * its journal out.
 */
export function isJournalHead(head: Uint8Array): boolean {
  return (head.length >= 4 && be32(head, 0) === JBD2_MAGIC) || isExtHead(head);
}

function isExtHead(head: Uint8Array): boolean {
  return head.length >= 2048 && head[EXT_MAGIC_AT] === 0x53 && head[EXT_MAGIC_AT + 1] === 0xef;
}

/** Finds the journal superblock; names what the file is instead when it is something else. */
function locate(source: ByteSource): { kind: JournalImage["kind"]; offset: number } {
  const head = source.read(0, Math.min(4096, source.size));
  if (head.length >= 4 && be32(head, 0) === JBD2_MAGIC) {
    return { kind: "inode", offset: 0 };
  }
  if (!isExtHead(head)) {
    const found =
      head.length < 4
        ? `a file of ${head.length} bytes`
        : `0x${be32(head, 0).toString(16).padStart(8, "0")}`;
    throw new ImportError(source.file, { offset: 0 }, "the jbd2 magic 0xc03b3998", found);
  }
  if ((head[EXT_INCOMPAT_AT]! & EXT_JOURNAL_DEV) === 0) {
    const dump = `a journal (take it out with: debugfs -R "dump <8> journal" ${source.file})`;
    throw new ImportError(source.file, { offset: EXT_MAGIC_AT }, dump, "a whole ext4 file system");
  }
  // The journal superblock is in the block after the file-system header.
  const logBlockSize = head[1024 + 0x18]!;
  const blockSize = 1024 << Math.min(logBlockSize, 6);
  return { kind: "device", offset: blockSize === 1024 ? 2048 : blockSize };
}

interface Live {
  transactions: JournalTransaction[];
  incomplete: BrokenTransaction | undefined;
  end: { block: number; reason: string };
}

function readLive(log: JournalLog): Live {
  const { start, sequence } = log.superblock;
  const transactions: JournalTransaction[] = [];
  if (start === 0) {
    return {
      transactions,
      incomplete: undefined,
      end: { block: 0, reason: "the journal is clean" },
    };
  }
  let at = start;
  let tid = sequence;
  let passed = 0;
  while (passed < log.length) {
    const walk = walkTransaction(log, at, tid);
    if ("broken" in walk) {
      const { stoppedAt, reason } = walk.broken;
      const begun = stoppedAt !== at;
      const incomplete = begun ? walk.broken : undefined;
      return { transactions, incomplete, end: { block: stoppedAt, reason } };
    }
    transactions.push(walk.transaction);
    passed += walk.transaction.logBlocks;
    if (passed > log.length) {
      const most = `live transactions within the ${log.length} blocks of the log`;
      throw log.fail(walk.transaction.commitBlock, 0, most, "more");
    }
    at = walk.next;
    tid = (tid + 1) >>> 0;
  }
  return { transactions, incomplete: undefined, end: { block: at, reason: "the log is full" } };
}

function readOld(log: JournalLog, live: Live): OldTransactions {
  const { start, sequence, first } = log.superblock;
  if (start === 0) {
    const from = blockAfterNewest(log, sequence) ?? first;
    return findOldTransactions(log, { from, blocks: log.length, before: sequence, strict: true });
  }
  const used = live.transactions.reduce((sum, { logBlocks }) => sum + logBlocks, 0);
  const from = log.after(start, used % log.length);
  const stretch = { from, blocks: log.length - used, before: sequence, strict: false };
  return findOldTransactions(log, stretch);
}

function consumedOf(superblock: JournalSuperblock, live: Live, old: OldTransactions): Consumed {
  const clean = superblock.start === 0;
  const used = clean ? old.whole.length : live.transactions.length;
  const notes: string[] = [];
  let found = used;
  if (clean) {
    found += old.partial.length;
    for (const { tid, reason } of old.partial.slice(0, 3)) {
      notes.push(`transaction ${tid}: ${reason}`);
    }
  } else if (live.incomplete !== undefined) {
    found++;
    notes.push(`transaction ${live.incomplete.tid} has no commit record: ${live.end.reason}`);
  }
  const unreached = old.later.filter((tid) => tid !== live.incomplete?.tid);
  if (!clean && unreached.length > 0) {
    found += unreached.length;
    notes.push(`${unreached.length} later commit records cannot be reached from the log's start`);
  }
  const kind = clean ? "old transactions (the journal is clean)" : "transactions";
  const why = notes.length === 0 ? "" : `; ${notes.join("; ")}`;
  return { used, found, text: `consumed ${used} of ${found} ${kind}${why}` };
}
