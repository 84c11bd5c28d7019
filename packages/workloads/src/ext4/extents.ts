import { Access } from "@jbdlab/core-wasm";
import type { Groups } from "./groups.js";
import type { Trail } from "./trail.js";

/** Extents that fit an inode's 60 bytes. */
const INODE_EXTENTS = 4;

/**
 * The blocks of a growing directory, and what ext4_append touches when one is added. A new block
 * that follows the last one lengthens its extent; a fifth extent moves them all to an extent block,
 * which every later append touches.
 */
export class DirectoryBlocks {
  /** Physical blocks in logical order. */
  readonly blocks: number[] = [];
  /** Extent-tree blocks, in order of allocation. */
  readonly extentBlocks: number[] = [];
  readonly #perBlock: number;
  #extents = 0;

  constructor(blockSize: number) {
    this.#perBlock = Math.floor((blockSize - 16) / 12);
  }

  /** Takes a block for a directory and adds ext4_append's accesses; returns its number. */
  append(groups: Groups, group: number, inodeBlock: number, trail: Trail): number {
    const block = this.#allocate(groups, group, inodeBlock, trail);
    const last = this.blocks.length - 1;
    if (last < 0 || this.blocks[last]! + 1 !== block) {
      this.#addExtent(groups, group, inodeBlock, trail);
    }
    const leaf = this.extentBlocks.at(-1);
    // ext4_ext_dirty: the extents are in the inode or in the extent block.
    trail.write(leaf ?? inodeBlock);
    this.blocks.push(block);
    trail.push(Access.Create, block);
    trail.write(inodeBlock);
    trail.write(block);
    return block;
  }

  /** As `append`, before the run: nothing is touched. */
  place(block: number): void {
    this.blocks.push(block);
    this.#extents = 1;
  }

  /**
   * dquot_alloc_block marks the inode dirty, ext4_mb_mark_diskspace_used the bitmap and the
   * descriptor.
   */
  #allocate(groups: Groups, group: number, inodeBlock: number, trail: Trail): number {
    const block = groups.allocateDirectoryBlock(group);
    trail.write(inodeBlock);
    trail.write(groups.blockBitmapOf(groups.blockGroup));
    trail.write(groups.descriptorOf(groups.blockGroup));
    return block;
  }

  /** ext4_ext_insert_extent, and ext4_ext_grow_indepth or a new leaf when there is no room. */
  #addExtent(groups: Groups, group: number, inodeBlock: number, trail: Trail): void {
    const perBlock = this.#perBlock;
    const room =
      this.extentBlocks.length === 0 ? INODE_EXTENTS : this.extentBlocks.length * perBlock;
    this.#extents++;
    if (this.#extents > room) {
      const block = this.#allocate(groups, group, inodeBlock, trail);
      trail.push(Access.Create, block);
      trail.write(inodeBlock);
      this.extentBlocks.push(block);
    }
  }
}
