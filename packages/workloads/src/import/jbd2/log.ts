import type { ByteSource } from "../bytes.js";
import { ImportError } from "../import-error.js";
import { be32, JBD2_MAGIC, type JournalSuperblock } from "./superblock.js";

export const BlockType = { Descriptor: 1, Commit: 2, Revoke: 5 } as const;

/** The 12 bytes that every control block of the log starts with. */
export interface BlockHeader {
  readonly type: number;
  readonly sequence: number;
}

/** The header of a control block; undefined when the block does not begin with the magic. */
export function headerOf(block: Uint8Array): BlockHeader | undefined {
  return be32(block, 0) === JBD2_MAGIC
    ? { type: be32(block, 4), sequence: be32(block, 8) }
    : undefined;
}

/** Transaction ids wrap at 2^32; the kernel compares them as signed differences (`tid_gt`). */
export function tidDifference(a: number, b: number): number {
  return (a - b) | 0;
}

/** The log as a ring of blocks. */
export class JournalLog {
  constructor(
    readonly source: ByteSource,
    /** Byte offset of block 0. */
    readonly base: number,
    readonly superblock: JournalSuperblock,
  ) {}

  get blockSize(): number {
    return this.superblock.blockSize;
  }

  /** Blocks of the ring. */
  get length(): number {
    return this.superblock.logEnd - this.superblock.first;
  }

  offsetOf(block: number): number {
    return this.base + block * this.blockSize;
  }

  /** A view of the block's bytes; the next call may overwrite it. */
  block(block: number): Uint8Array {
    return this.source.read(this.offsetOf(block), this.blockSize);
  }

  /** The block `count` after `block`; count at most the ring's length. */
  after(block: number, count = 1): number {
    const next = block + count;
    return next >= this.superblock.logEnd ? next - this.length : next;
  }

  /** An error at byte `at` of `block`. */
  fail(block: number, at: number, expected: string, found: string): ImportError {
    return new ImportError(
      this.source.file,
      { offset: this.offsetOf(block) + at, block },
      expected,
      found,
    );
  }
}
