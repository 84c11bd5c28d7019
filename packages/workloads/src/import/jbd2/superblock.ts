import type { ByteSource } from "../bytes.js";
import { crc32c, crc32cSkipping } from "../crc32c.js";
import { ImportError } from "../import-error.js";

/** `struct journal_superblock_s` of include/linux/jbd2.h; everything on disk is big endian. */
export const JBD2_MAGIC = 0xc03b3998;
const SUPERBLOCK_BYTES = 1024;
const CHECKSUM_AT = 0xfc;
const CRC32C_TYPE = 4;
const DEFAULT_FAST_COMMIT_BLOCKS = 256;

const COMPAT_CHECKSUM = 0x1;
const INCOMPAT = {
  revoke: 0x1,
  "64bit": 0x2,
  asyncCommit: 0x4,
  csumV2: 0x8,
  csumV3: 0x10,
  fastCommit: 0x20,
} as const;
const INCOMPAT_KNOWN = 0x3f;

/**
 * How the log is protected: nothing, crc32 of a whole transaction (v1), crc32c per block (v2: 16
 * bits per data block).
 */
export type ChecksumKind = "none" | "v1" | "v2" | "v3";

/** A journal's superblock. Blocks are log blocks. */
export interface JournalSuperblock {
  /** Block type 3 (no feature words) or 4. */
  readonly version: 1 | 2;
  readonly blockSize: number;
  /** Length of the journal, blocks, superblock and fast-commit area included. */
  readonly blocks: number;
  /** First log block. */
  readonly first: number;
  /** One past the last log block; the fast-commit area follows. */
  readonly logEnd: number;
  /** The transaction expected at `start`, or the next one when the journal is clean. */
  readonly sequence: number;
  /** 0: clean. */
  readonly start: number;
  /** Errno the journal was aborted with; 0: none. */
  readonly errno: number;
  readonly features: {
    readonly revoke: boolean;
    readonly "64bit": boolean;
    readonly asyncCommit: boolean;
    readonly fastCommit: boolean;
    readonly checksum: ChecksumKind;
  };
  /** Feature words as stored. */
  readonly compat: number;
  readonly incompat: number;
  readonly roCompat: number;
  /** 32 hex digits. */
  readonly uuid: string;
  /**
   * Log block after the newest transaction of a clean journal (Linux 6.3 and later); 0: unknown.
   */
  readonly head: number;
  /** Blocks of the fast-commit area; 0 without the feature. */
  readonly fastCommitBlocks: number;
  /** Bytes of a descriptor's tag. */
  readonly tagBytes: number;
  /** Start value of the log's checksums (v2, v3). */
  readonly checksumSeed: number;
}

/** Reads big-endian 32-bit words of a block. */
export function be32(bytes: Uint8Array, at: number): number {
  return (
    ((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0
  );
}

function hex(value: number): string {
  return `0x${value.toString(16)}`;
}

function tagBytesOf(incompat: number): number {
  if (incompat & INCOMPAT.csumV3) {
    return 16;
  }
  const wide = incompat & INCOMPAT["64bit"] ? 12 : 8;
  return incompat & INCOMPAT.csumV2 ? wide + 2 : wide;
}

/**
 * Reads and verifies the superblock at byte `offset` of `source`.
 * Throws ImportError on a wrong magic, checksum, size or an unknown incompatible feature.
 */
export function readSuperblock(source: ByteSource, offset: number): JournalSuperblock {
  const bytes = source.read(offset, SUPERBLOCK_BYTES);
  const fail = (at: number, expected: string, found: string): ImportError =>
    new ImportError(source.file, { offset: offset + at }, expected, found);
  const magic = be32(bytes, 0);
  if (magic !== JBD2_MAGIC) {
    throw fail(0, "a jbd2 superblock with magic 0xc03b3998", hex(magic));
  }
  const type = be32(bytes, 4);
  if (type !== 3 && type !== 4) {
    throw fail(4, "block type 3 or 4 (a journal superblock)", String(type));
  }
  const version2 = type === 4;
  const compat = version2 ? be32(bytes, 0x24) : 0;
  const incompat = version2 ? be32(bytes, 0x28) : 0;
  if (incompat & ~INCOMPAT_KNOWN) {
    throw fail(0x28, `incompatible features within ${hex(INCOMPAT_KNOWN)}`, hex(incompat));
  }
  const checksum = checksumKind(compat, incompat, fail);
  verifyChecksum(bytes, checksum, fail);
  const sizes = readSizes(bytes, (incompat & INCOMPAT.fastCommit) !== 0, fail);
  return {
    version: version2 ? 2 : 1,
    ...sizes,
    sequence: be32(bytes, 0x18),
    errno: be32(bytes, 0x20) | 0,
    features: {
      revoke: (incompat & INCOMPAT.revoke) !== 0,
      "64bit": (incompat & INCOMPAT["64bit"]) !== 0,
      asyncCommit: (incompat & INCOMPAT.asyncCommit) !== 0,
      fastCommit: (incompat & INCOMPAT.fastCommit) !== 0,
      checksum,
    },
    compat,
    incompat,
    roCompat: version2 ? be32(bytes, 0x2c) : 0,
    uuid: Buffer.from(bytes.subarray(0x30, 0x40)).toString("hex"),
    head: version2 ? be32(bytes, 0x58) : 0,
    tagBytes: tagBytesOf(incompat),
    checksumSeed: crc32c(0xffffffff, bytes.subarray(0x30, 0x40)),
  };
}

type Fail = (at: number, expected: string, found: string) => ImportError;

function checksumKind(compat: number, incompat: number, fail: Fail): ChecksumKind {
  const kinds: ChecksumKind[] = [];
  if (compat & COMPAT_CHECKSUM) {
    kinds.push("v1");
  }
  if (incompat & INCOMPAT.csumV2) {
    kinds.push("v2");
  }
  if (incompat & INCOMPAT.csumV3) {
    kinds.push("v3");
  }
  if (kinds.length > 1) {
    throw fail(0x24, "at most one checksum feature", kinds.join(" and "));
  }
  return kinds[0] ?? "none";
}

function checksumOf(bytes: Uint8Array): number {
  return crc32cSkipping(0xffffffff, bytes, CHECKSUM_AT, 4);
}

function verifyChecksum(bytes: Uint8Array, kind: ChecksumKind, fail: Fail): void {
  const stored = be32(bytes, CHECKSUM_AT);
  if (kind === "v2" || kind === "v3") {
    if (bytes[0x50] !== CRC32C_TYPE) {
      throw fail(0x50, `checksum type ${CRC32C_TYPE} (crc32c)`, String(bytes[0x50]));
    }
    const computed = checksumOf(bytes);
    if (stored !== computed) {
      throw fail(CHECKSUM_AT, `superblock checksum ${hex(computed)}`, hex(stored));
    }
    return;
  }
  // A flipped feature bit would switch the check itself off: the stored checksum still fits the
  // superblock as it was written, with the bit set.
  for (const bit of [INCOMPAT.csumV2, INCOMPAT.csumV3]) {
    const restored = Uint8Array.from(bytes);
    restored[0x2b]! |= bit;
    restored[4 + 3] = 4;
    if (stored !== 0 && checksumOf(restored) === stored) {
      throw fail(0x28, `the checksum feature ${hex(bit)} that the stored checksum covers`, "none");
    }
  }
}

interface Sizes {
  blockSize: number;
  blocks: number;
  first: number;
  logEnd: number;
  start: number;
  fastCommitBlocks: number;
}

function readSizes(bytes: Uint8Array, fastCommit: boolean, fail: Fail): Sizes {
  const blockSize = be32(bytes, 0x0c);
  if (blockSize < 1024 || blockSize > 65536 || blockSize & (blockSize - 1)) {
    throw fail(0x0c, "a block size of 1024 ... 65536, a power of two", String(blockSize));
  }
  const blocks = be32(bytes, 0x10);
  const first = be32(bytes, 0x14);
  if (first < 1 || first >= blocks) {
    throw fail(0x14, `a first log block of 1 ... ${blocks - 1}`, String(first));
  }
  const asked = be32(bytes, 0x54) || DEFAULT_FAST_COMMIT_BLOCKS;
  const fastCommitBlocks = fastCommit ? asked : 0;
  if (fastCommitBlocks > blocks - first - 1) {
    throw fail(0x54, `a fast-commit area that leaves room for a log`, `${fastCommitBlocks} blocks`);
  }
  const logEnd = blocks - fastCommitBlocks;
  const start = be32(bytes, 0x1c);
  if (start !== 0 && (start < first || start >= logEnd)) {
    throw fail(0x1c, `a log start of ${first} ... ${logEnd - 1}, or 0`, String(start));
  }
  return { blockSize, blocks, first, logEnd, start, fastCommitBlocks };
}
