import { crc32c, crc32cSkipping } from "../crc32c.js";
import { BlockType, type JournalLog } from "./log.js";
import { be32, JBD2_MAGIC } from "./superblock.js";

const HEADER_BYTES = 12;
const TAIL_BYTES = 4;
const UUID_BYTES = 16;
const COMMIT_CHECKSUM_AT = 16;

/** Flags of a tag. */
export const TagFlag = { Escape: 1, SameUuid: 2, Deleted: 4, Last: 8 } as const;
const TAG_FLAGS = 0xf;

/** ext4 block numbers have 48 bits. */
const MAX_FS_BLOCK = 2 ** 48;

/** A descriptor's tags, in order: one per data block that follows it in the log. */
export interface DescriptorTags {
  readonly blocks: number[];
  readonly flags: number[];
  /** v3: 32 bits, v2: 16 bits, else 0. */
  readonly checksums: number[];
}

/** A commit record. */
export interface CommitRecord {
  /** v1: type and value of the transaction's crc32; 0 and 0 when unused. */
  readonly checksumType: number;
  readonly checksumBytes: number;
  readonly checksum: number;
  /** Seconds since 1970; the fraction is exact to about 0.2 microseconds. */
  readonly seconds: number;
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

/** True when the control blocks carry a crc32c of their own. */
export function hasBlockChecksums(log: JournalLog): boolean {
  const kind = log.superblock.features.checksum;
  return kind === "v2" || kind === "v3";
}

/** Where the block's own checksum is, by block type. */
function checksumPlace(log: JournalLog, type: number): number {
  return type === BlockType.Commit ? COMMIT_CHECKSUM_AT : log.blockSize - TAIL_BYTES;
}

function checksumFits(log: JournalLog, block: Uint8Array, type: number): boolean {
  const at = checksumPlace(log, type);
  return be32(block, at) === crc32cSkipping(log.superblock.checksumSeed, block, at, 4);
}

/**
 * True when the journal has no block checksums or this block's fits
 * (`jbd2_descriptor_block_csum_verify`).
 */
export function controlBlockIntact(log: JournalLog, block: Uint8Array, type: number): boolean {
  return !hasBlockChecksums(log) || checksumFits(log, block, type);
}

/** Throws when the block's own checksum is wrong. */
export function verifyControlBlock(log: JournalLog, at: number, block: Uint8Array): void {
  const type = be32(block, 4);
  if (controlBlockIntact(log, block, type)) {
    return;
  }
  const place = checksumPlace(log, type);
  const computed = crc32cSkipping(log.superblock.checksumSeed, block, place, 4);
  const name = type === BlockType.Commit ? "commit" : "descriptor";
  const expected = `${name} block checksum ${hex(computed)}`;
  throw log.fail(at, place, expected, hex(be32(block, place)));
}

/**
 * A block where transaction `tid` should go on has another header. If its checksum fits once the
 * header is put right, it was damaged: throws. (Without checksums the two cannot be told apart.)
 */
export function refuseDamagedHeader(log: JournalLog, at: number, tid: number): void {
  if (!hasBlockChecksums(log)) {
    return;
  }
  const block = Uint8Array.from(log.block(at));
  const found = `${hex(be32(block, 0))} ${be32(block, 4)} ${be32(block, 8)}`;
  for (const type of [BlockType.Descriptor, BlockType.Commit, BlockType.Revoke]) {
    const view = new DataView(block.buffer);
    view.setUint32(0, JBD2_MAGIC);
    view.setUint32(4, type);
    view.setUint32(8, tid);
    if (checksumFits(log, block, type)) {
      const expected = `header ${hex(JBD2_MAGIC)} ${type} ${tid} (its checksum fits)`;
      throw log.fail(at, 0, expected, found);
    }
  }
}

/**
 * Tags of a descriptor block (`count_tags`, `read_tag_block`). Throws ImportError on impossible
 * ones.
 */
export function readTags(log: JournalLog, at: number, block: Uint8Array): DescriptorTags {
  const { tagBytes, features } = log.superblock;
  const end = log.blockSize - (hasBlockChecksums(log) ? TAIL_BYTES : 0);
  const v3 = features.checksum === "v3";
  const tags: DescriptorTags = { blocks: [], flags: [], checksums: [] };
  let offset = HEADER_BYTES;
  while (offset + tagBytes <= end) {
    // v3 tags have 32 bits for flags, but jbd2 reads and writes the lower 16 only.
    const flags = be32(block, offset + 4) & 0xffff;
    if (flags & ~TAG_FLAGS) {
      throw log.fail(at, offset + 4, "tag flags within 0xf", hex(flags));
    }
    const high = features["64bit"] ? be32(block, offset + 8) : 0;
    const target = be32(block, offset) + high * 2 ** 32;
    if (target >= MAX_FS_BLOCK) {
      throw log.fail(at, offset, "a file-system block number below 2^48", String(target));
    }
    tags.blocks.push(target);
    tags.flags.push(flags);
    tags.checksums.push(v3 ? be32(block, offset + 12) : be32(block, offset + 4) >>> 16);
    offset += tagBytes + (flags & TagFlag.SameUuid ? 0 : UUID_BYTES);
    if (flags & TagFlag.Last) {
      break;
    }
  }
  if (tags.blocks.length >= log.length) {
    throw log.fail(at, HEADER_BYTES, "fewer tags than log blocks", String(tags.blocks.length));
  }
  return tags;
}

/**
 * Checksum of a logged block as its tag stores it (`jbd2_block_tag_csum_set`): over the escaped
 * copy.
 */
export function dataChecksum(log: JournalLog, tid: number, block: Uint8Array): number {
  const sequence = new Uint8Array(4);
  new DataView(sequence.buffer).setUint32(0, tid);
  const sum = crc32c(crc32c(log.superblock.checksumSeed, sequence), block);
  return log.superblock.features.checksum === "v3" ? sum : sum & 0xffff;
}

/** Block numbers of a revoke block. Throws ImportError on an impossible count. */
export function readRevokes(log: JournalLog, at: number, block: Uint8Array): number[] {
  const count = be32(block, HEADER_BYTES);
  const most = log.blockSize - (hasBlockChecksums(log) ? TAIL_BYTES : 0);
  const width = log.superblock.features["64bit"] ? 8 : 4;
  if (count < HEADER_BYTES + 4 || count > most) {
    throw log.fail(at, HEADER_BYTES, `a revoke count of 16 ... ${most} bytes`, String(count));
  }
  const revoked: number[] = [];
  for (let offset = HEADER_BYTES + 4; offset + width <= count; offset += width) {
    const number =
      width === 8 ? be32(block, offset) * 2 ** 32 + be32(block, offset + 4) : be32(block, offset);
    if (number >= MAX_FS_BLOCK) {
      throw log.fail(at, offset, "a file-system block number below 2^48", String(number));
    }
    revoked.push(number);
  }
  return revoked;
}

/** Fields of a commit block (`struct commit_header`). */
export function readCommit(block: Uint8Array): CommitRecord {
  const seconds = be32(block, 48) * 2 ** 32 + be32(block, 52);
  return {
    checksumType: block[12]!,
    checksumBytes: block[13]!,
    checksum: be32(block, COMMIT_CHECKSUM_AT),
    seconds: seconds + be32(block, 56) / 1e9,
  };
}
