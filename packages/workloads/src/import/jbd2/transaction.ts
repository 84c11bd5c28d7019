import { crc32be } from "../crc32c.js";
import {
  type DescriptorTags,
  dataChecksum,
  hasBlockChecksums,
  readCommit,
  readRevokes,
  readTags,
  refuseDamagedHeader,
  verifyControlBlock,
} from "./control-blocks.js";
import { BlockType, headerOf, type JournalLog } from "./log.js";

/** A committed transaction as the log holds it. */
export interface JournalTransaction {
  /** Unsigned 32 bits. */
  readonly tid: number;
  /** Log block of its first descriptor or revoke block. */
  readonly logStart: number;
  /** Log blocks it takes: descriptors, revoke blocks, data, commit record. */
  readonly logBlocks: number;
  readonly descriptorBlocks: number;
  readonly revokeBlocks: number;
  /** File-system block numbers in log order. */
  readonly blocks: Float64Array;
  /** Log block of each of them. */
  readonly logPositions: Uint32Array;
  /** Tag flags of each of them (1 = escaped). */
  readonly flags: Uint8Array;
  /** File-system blocks whose older log copies must not be replayed. */
  readonly revokes: Float64Array;
  /** Log block of the commit record. */
  readonly commitBlock: number;
  /** Time in the commit record, seconds since 1970. */
  readonly commitSeconds: number;
}

/** What was found of a transaction whose commit record is not where it must be. */
export interface BrokenTransaction {
  readonly tid: number;
  readonly logStart: number;
  /** Data blocks that its descriptors name. */
  readonly blocks: number;
  /** Log block at which the walk stopped. */
  readonly stoppedAt: number;
  /** Why, in words. */
  readonly reason: string;
}

export type Walk =
  | { readonly transaction: JournalTransaction; readonly next: number }
  | { readonly broken: BrokenTransaction };

/**
 * How data blocks that do not fit their checksum are met: "refuse" throws, "report" ends the
 * walk.
 */
export type DataRule = "refuse" | "report";

/** Collects one transaction while the log is walked. */
class Collector {
  descriptorBlocks = 0;
  revokeBlocks = 0;
  readonly blocks: number[] = [];
  readonly positions: number[] = [];
  readonly flags: number[] = [];
  readonly revokes: number[] = [];
  /** v1: crc32 of descriptors and data so far. */
  crc = 0xffffffff;
  /** Log blocks passed. */
  passed = 0;

  constructor(
    readonly log: JournalLog,
    readonly tid: number,
    readonly start: number,
    readonly rule: DataRule,
  ) {}

  broken(stoppedAt: number, reason: string): Walk {
    const { tid, start: logStart, blocks } = this;
    return { broken: { tid, logStart, blocks: blocks.length, stoppedAt, reason } };
  }

  finished(commitBlock: number, seconds: number): Walk {
    const transaction: JournalTransaction = {
      tid: this.tid,
      logStart: this.start,
      logBlocks: this.passed + 1,
      descriptorBlocks: this.descriptorBlocks,
      revokeBlocks: this.revokeBlocks,
      blocks: Float64Array.from(this.blocks),
      logPositions: Uint32Array.from(this.positions),
      flags: Uint8Array.from(this.flags),
      revokes: Float64Array.from(this.revokes),
      commitBlock,
      commitSeconds: seconds,
    };
    return { transaction, next: this.log.after(commitBlock) };
  }
}

/**
 * Walks one transaction from log block `start`, as `do_one_pass` of fs/jbd2/recovery.c does, and
 * verifies every checksum the journal has. Throws ImportError on damage that a checksum or a
 * bound proves; otherwise a transaction without its commit record comes back as broken.
 */
export function walkTransaction(
  log: JournalLog,
  start: number,
  tid: number,
  rule: DataRule = "refuse",
): Walk {
  const found = new Collector(log, tid, start, rule);
  let at = start;
  while (found.passed < log.length) {
    const block = log.block(at);
    const header = headerOf(block);
    if (header?.sequence !== tid || !(header.type in HANDLERS)) {
      refuseDamagedHeader(log, at, tid);
      return found.broken(at, stopReason(header, tid));
    }
    verifyControlBlock(log, at, block);
    const step = HANDLERS[header.type as keyof typeof HANDLERS](found, at, block);
    if (typeof step !== "number") {
      return step;
    }
    at = step;
  }
  return found.broken(at, "it fills the whole log without a commit record");
}

function stopReason(header: ReturnType<typeof headerOf>, tid: number): string {
  if (header === undefined) {
    return "no magic number";
  }
  return header.sequence === tid
    ? `unknown block type ${header.type}`
    : `sequence ${header.sequence} instead of ${tid}`;
}

type Handler = (found: Collector, at: number, block: Uint8Array) => number | Walk;

const HANDLERS: Record<1 | 2 | 5, Handler> = {
  [BlockType.Descriptor]: takeDescriptor,
  [BlockType.Commit]: takeCommit,
  [BlockType.Revoke]: takeRevoke,
};

function takeDescriptor(found: Collector, at: number, block: Uint8Array): number | Walk {
  const { log } = found;
  const tags = readTags(log, at, block);
  if (found.passed + tags.blocks.length + 1 > log.length) {
    throw log.fail(at, 12, `a transaction of at most ${log.length} blocks`, "a longer one");
  }
  if (log.superblock.features.checksum === "v1") {
    found.crc = crc32be(found.crc, block);
  }
  found.descriptorBlocks++;
  found.passed += tags.blocks.length + 1;
  let position = log.after(at);
  for (let i = 0; i < tags.blocks.length; i++) {
    const wrong = checkData(found, tags, i, position);
    if (wrong !== undefined) {
      return found.broken(position, wrong);
    }
    found.blocks.push(tags.blocks[i]!);
    found.flags.push(tags.flags[i]!);
    found.positions.push(position);
    position = log.after(position);
  }
  return position;
}

/** Checks a logged block against its tag; a reason when it is wrong and only to be reported. */
function checkData(
  found: Collector,
  tags: DescriptorTags,
  i: number,
  position: number,
): string | undefined {
  const { log } = found;
  if (log.superblock.features.checksum === "v1") {
    found.crc = crc32be(found.crc, log.block(position));
  }
  if (!hasBlockChecksums(log)) {
    return undefined;
  }
  const computed = dataChecksum(log, found.tid, log.block(position));
  const stored = tags.checksums[i]!;
  if (computed === stored) {
    return undefined;
  }
  const [expected, is] = [stored, computed].map((sum) => `0x${sum.toString(16)}`);
  if (found.rule === "refuse" && commitFollows(found, tags, i, position)) {
    const what = `data of file-system block ${tags.blocks[i]} with checksum ${expected}`;
    throw log.fail(position, 0, what, `${is}`);
  }
  return `data block does not fit its checksum (${is} instead of ${expected})`;
}

/**
 * A power cut may leave a descriptor without its data: then there is no commit record either.
 * With one, jbd2 has waited for the data and the mismatch is damage.
 */
function commitFollows(found: Collector, tags: DescriptorTags, i: number, from: number): boolean {
  const { log, tid } = found;
  let at = log.after(from, tags.blocks.length - i);
  let left = log.length - found.passed;
  while (left > 0) {
    const block = log.block(at);
    const header = headerOf(block);
    if (header?.sequence !== tid) {
      return false;
    }
    if (header.type === BlockType.Commit) {
      return true;
    }
    const data = header.type === BlockType.Descriptor ? readTags(log, at, block).blocks.length : 0;
    at = log.after(at, data + 1);
    left -= data + 1;
  }
  return false;
}

function takeRevoke(found: Collector, at: number, block: Uint8Array): number {
  const { log } = found;
  for (const revoked of readRevokes(log, at, block)) {
    found.revokes.push(revoked);
  }
  found.revokeBlocks++;
  found.passed++;
  return log.after(at);
}

function takeCommit(found: Collector, at: number, block: Uint8Array): Walk {
  const { log } = found;
  const commit = readCommit(block);
  if (log.superblock.features.checksum === "v1") {
    const unused = commit.checksumType === 0 && commit.checksumBytes === 0 && !commit.checksum;
    const fits =
      commit.checksumType === 1 && commit.checksumBytes === 4 && commit.checksum === found.crc;
    if (!unused && !fits) {
      return wrongTransactionChecksum(found, at, commit.checksum);
    }
  }
  return found.finished(at, commit.seconds);
}

/**
 * With asynchronous commits the record may reach the disk before the data: no damage, only not
 * committed.
 */
function wrongTransactionChecksum(found: Collector, at: number, stored: number): Walk {
  const { log } = found;
  const computed = `0x${found.crc.toString(16)}`;
  const next = headerOf(log.block(log.after(at)));
  const last = next?.sequence !== (found.tid + 1) >>> 0;
  if (found.rule === "report" || (log.superblock.features.asyncCommit && last)) {
    return found.broken(at, `transaction checksum ${computed} does not fit its commit record`);
  }
  const expected = `transaction checksum ${computed} in the commit record`;
  throw log.fail(at, 16, expected, `0x${stored.toString(16)}`);
}
