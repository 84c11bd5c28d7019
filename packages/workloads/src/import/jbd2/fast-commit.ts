import { crc32c } from "../crc32c.js";
import type { JournalLog } from "./log.js";
import { tidDifference } from "./log.js";

/** Tags of fs/ext4/fast_commit.h; the area is little endian. */
const TAG_NAMES: Record<number, string> = {
  1: "add_range",
  2: "del_range",
  3: "creat",
  4: "link",
  5: "unlink",
  6: "inode",
  7: "pad",
  8: "tail",
  9: "head",
};
const TAIL = 8;
const HEAD = 9;
const TAG_BYTES = 4;

/**
 * What the fast-commit area holds. Fast commits log file-system operations, not blocks: they
 * cannot be replayed as handles.
 */
export interface FastCommitArea {
  /** First block of the area. */
  readonly firstBlock: number;
  /** Blocks reserved. */
  readonly blocks: number;
  /**
   * Fast commits on top of the newest live transaction, each closed by a tail with a fitting
   * checksum.
   */
  readonly commits: number;
  /** Tags in them, by name. */
  readonly tags: Readonly<Record<string, number>>;
  /** Where reading stopped, in words. */
  readonly end: string;
}

interface Scan {
  commits: number;
  tags: Record<string, number>;
  pending: Record<string, number>;
  crc: number;
}

/**
 * Reads the area as `ext4_fc_replay_scan` does: from its first block, until a tag that does not
 * belong to transaction `tid` or a tail whose checksum does not fit.
 */
export function readFastCommits(log: JournalLog, tid: number): FastCommitArea | undefined {
  const { fastCommitBlocks, blocks, logEnd } = log.superblock;
  if (fastCommitBlocks === 0) {
    return undefined;
  }
  // jbd2 leaves the block after the log unused: j_fc_first = j_last + 1.
  const firstBlock = logEnd + 1;
  const scan: Scan = { commits: 0, tags: {}, pending: {}, crc: 0 };
  let end = "the end of the area";
  for (let at = firstBlock; at < blocks; at++) {
    const stopped = scanBlock(log.block(at), tid, scan);
    if (stopped !== undefined) {
      end = `block ${at}: ${stopped}`;
      break;
    }
  }
  return { firstBlock, blocks: fastCommitBlocks, commits: scan.commits, tags: scan.tags, end };
}

function le(block: Uint8Array, at: number, bytes: 2 | 4): number {
  const view = new DataView(block.buffer, block.byteOffset, block.byteLength);
  return bytes === 2 ? view.getUint16(at, true) : view.getUint32(at, true);
}

function count(into: Record<string, number>, name: string, by = 1): void {
  into[name] = (into[name] ?? 0) + by;
}

/** One block's tags; the reason when the scan must stop. */
function scanBlock(block: Uint8Array, tid: number, scan: Scan): string | undefined {
  let at = 0;
  while (at + TAG_BYTES <= block.length) {
    const tag = le(block, at, 2);
    const length = le(block, at + 2, 2);
    const name = TAG_NAMES[tag];
    const end = at + TAG_BYTES + length;
    if (
      name === undefined ||
      end > block.length ||
      ((tag === TAIL || tag === HEAD) && length < 8)
    ) {
      return name === undefined ? `no tag (${tag})` : `a ${name} tag of ${length} bytes`;
    }
    if (tag === TAIL) {
      const stopped = closeCommit(block, at, tid, scan);
      if (stopped !== undefined) {
        return stopped;
      }
      // What follows a tail in its block is padding.
      return undefined;
    }
    if (tag === HEAD && tidDifference(le(block, at + 8, 4), tid) !== 0) {
      return `a fast commit on transaction ${le(block, at + 8, 4)}, not ${tid}`;
    }
    scan.crc = crc32c(scan.crc, block.subarray(at, end));
    count(scan.pending, name);
    at = end;
  }
  return undefined;
}

function closeCommit(block: Uint8Array, at: number, tid: number, scan: Scan): string | undefined {
  const checksum = crc32c(scan.crc, block.subarray(at, at + TAG_BYTES + 4));
  const tailTid = le(block, at + TAG_BYTES, 4);
  if (tidDifference(tailTid, tid) !== 0) {
    return `a tail of transaction ${tailTid}, not ${tid}`;
  }
  if (checksum !== le(block, at + TAG_BYTES + 4, 4)) {
    return "a tail whose checksum does not fit";
  }
  scan.commits++;
  scan.crc = 0;
  for (const [name, n] of Object.entries(scan.pending)) {
    count(scan.tags, name, n);
  }
  scan.pending = {};
  return undefined;
}
