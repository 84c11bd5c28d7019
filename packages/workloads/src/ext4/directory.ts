import { Access, type HandleSink } from "@jbdlab/core-wasm";
import { WorkloadError } from "../error.js";
import { DirectoryBlocks } from "./extents.js";
import type { Geometry } from "./geometry.js";
import type { Groups } from "./groups.js";
import type { Leaves } from "./leaves.js";
import type { Trail } from "./trail.js";

/** What an insertion had to do. */
export const Growth = { None: 0, Split: 1, Index: 2 } as const;
export type Growth = (typeof Growth)[keyof typeof Growth];

/**
 * An ext4 directory (namei.c): one linear block, then a hash index (dx root, from 500 leaves on a
 * level of nodes) over leaf blocks that split in half when full. Hashes stand in for half-MD4:
 * seeded, even, below 2^31. Memory: the names' hashes, 4 bytes each.
 */
export class Directory {
  readonly inode: number;
  readonly inodeBlock: number;
  /** Group of its inode. */
  readonly group: number;
  /** Group of the inode made last in it (i_last_alloc_group). */
  lastGroup: number;
  readonly content: DirectoryBlocks;
  /** After `find`: entries in the leaf, and those of them made in another second. */
  scanned = 0;
  others = 0;
  /** The leaf the name's hash leads to. */
  leafBlock = 0;
  /** After `insert`: what it had to do, and the leaf that took the name. */
  growth: Growth = Growth.None;
  targetBlock = 0;

  readonly #leaves: Leaves;
  readonly #groups: Groups;
  /** Leaf i covers hashes from bounds[i] to below bounds[i + 1]. */
  #bounds = new Int32Array(16);
  #leafIds = new Int32Array(16);
  #leafCount = 0;
  /**
   * Index nodes below the root: block and first leaf of each; none while the root points to leaves.
   */
  readonly #nodeBlocks: number[] = [];
  readonly #nodeStarts: number[] = [];
  #indexed = false;
  #at = 0;

  constructor(leaves: Leaves, groups: Groups, geometry: Geometry, inode: number) {
    this.#leaves = leaves;
    this.#groups = groups;
    this.inode = inode;
    this.content = new DirectoryBlocks(geometry.blockSize);
    this.inodeBlock = geometry.inodeBlock(inode);
    this.group = geometry.groupOfInode(inode);
    this.lastGroup = this.group;
  }

  get indexed(): boolean {
    return this.#indexed;
  }

  get leafCount(): number {
    return this.#leafCount;
  }

  get rootBlock(): number {
    return this.content.blocks[0]!;
  }

  /** Gives the new directory its first block (ext4_init_new_dir). */
  initialise(trail: Trail): void {
    this.#setFirst(this.#append(trail));
  }

  /** Gives a directory that exists before the run its first block; nothing is touched. */
  place(): void {
    const block = this.#groups.allocateDirectoryBlock(this.group);
    this.content.place(block);
    this.#setFirst(block);
  }

  #setFirst(block: number): void {
    this.#leafIds[0] = this.#leaves.allocate(block);
    this.#leafCount = 1;
  }

  #append(trail: Trail): number {
    return this.content.append(this.#groups, this.group, this.inodeBlock, trail);
  }

  /** Looks a name up: sets `scanned`, `others` and `leafBlock`. */
  find(hash: number, second: number): void {
    const leaf = this.#leafIds[this.#probe(hash)]!;
    this.scanned = this.#leaves.count(leaf);
    this.others = this.#leaves.others(leaf, second);
    this.leafBlock = this.#leaves.block(leaf);
  }

  /** dx_probe: index of the leaf that covers a hash. */
  #probe(hash: number): number {
    const bounds = this.#bounds;
    let low = 0;
    let high = this.#leafCount;
    while (high - low > 1) {
      const middle = (low + high) >>> 1;
      if (bounds[middle]! <= hash) {
        low = middle;
      } else {
        high = middle;
      }
    }
    this.#at = low;
    return low;
  }

  /**
   * Adds a name (ext4_add_entry); `find` of the same hash must have come just before. The trail
   * gets what a growing directory touches between the leaf and the leaf that takes the name; `emit`
   * writes the whole.
   */
  insert(hash: number, trail: Trail): void {
    const leaves = this.#leaves;
    let target = this.#leafIds[this.#at]!;
    this.growth = Growth.None;
    if (!this.#indexed) {
      if (this.scanned === leaves.shape.linearCapacity) {
        target = this.#makeIndexed(hash, trail);
      }
    } else if (this.scanned === leaves.capacity) {
      this.growth = Growth.Split;
      this.#makeIndexRoom(trail);
      target = this.#split(hash, trail);
    }
    this.targetBlock = leaves.block(target);
    leaves.append(target, hash);
  }

  /**
   * Writes the accesses of the last `insert`: leaf, growth, leaf again where there is an index, the
   * directory's inode.
   */
  emit(sink: HandleSink, trail: Trail): void {
    sink.access(Access.Write, this.leafBlock);
    if (trail.length > 0) {
      trail.replay(sink);
    }
    if (this.#indexed) {
      sink.access(Access.Write, this.targetBlock);
    }
    sink.access(Access.Write, this.inodeBlock);
  }

  /**
   * make_indexed_dir: the only block becomes the root, its entries move to a new leaf, which splits
   * at once.
   */
  #makeIndexed(hash: number, trail: Trail): number {
    this.growth = Growth.Index;
    this.#indexed = true;
    this.#leaves.setBlock(this.#leafIds[0]!, this.#append(trail));
    return this.#split(hash, trail);
  }

  /** do_split; returns the leaf that takes the new name. */
  #split(hash: number, trail: Trail): number {
    const leaves = this.#leaves;
    const at = this.#at;
    const fresh = leaves.allocate(this.#append(trail));
    const leaf = this.#leafIds[at]!;
    trail.write(leaves.block(leaf));
    trail.write(this.#frame(at));
    const bound = leaves.split(leaf, fresh);
    this.#insertLeaf(at + 1, bound, fresh);
    return hash >= bound ? fresh : leaf;
  }

  #insertLeaf(at: number, bound: number, leaf: number): void {
    if (this.#leafCount === this.#bounds.length) {
      const bounds = new Int32Array(this.#leafCount * 2);
      bounds.set(this.#bounds);
      this.#bounds = bounds;
      const ids = new Int32Array(this.#leafCount * 2);
      ids.set(this.#leafIds);
      this.#leafIds = ids;
    }
    this.#bounds.copyWithin(at + 1, at, this.#leafCount);
    this.#leafIds.copyWithin(at + 1, at, this.#leafCount);
    this.#bounds[at] = bound;
    this.#leafIds[at] = leaf;
    this.#leafCount++;
    for (let i = this.#nodeStarts.length - 1; i > 0 && this.#nodeStarts[i]! >= at; i--) {
      this.#nodeStarts[i]!++;
    }
  }

  /** The index block that points to a leaf. */
  #frame(at: number): number {
    return this.#nodeBlocks.length === 0 ? this.rootBlock : this.#nodeBlocks[this.#nodeOf(at)]!;
  }

  #nodeOf(at: number): number {
    let node = this.#nodeStarts.length - 1;
    while (this.#nodeStarts[node]! > at) {
      node--;
    }
    return node;
  }

  /**
   * ext4_dx_add_entry: makes room in the index for one more leaf, by a new level or by splitting a
   * node.
   */
  #makeIndexRoom(trail: Trail): void {
    const { rootCapacity, nodeCapacity } = this.#leaves.shape;
    if (this.#nodeBlocks.length === 0) {
      if (this.#leafCount === rootCapacity) {
        this.#nodeBlocks.push(this.#append(trail));
        this.#nodeStarts.push(0);
        trail.write(this.rootBlock);
        this.#retry(trail);
      }
      return;
    }
    const node = this.#nodeOf(this.#at);
    const start = this.#nodeStarts[node]!;
    const end = this.#nodeStarts[node + 1] ?? this.#leafCount;
    if (end - start < nodeCapacity) {
      return;
    }
    if (this.#nodeBlocks.length === rootCapacity) {
      throw new WorkloadError(
        "ext4",
        `a directory of ${this.#leafCount} leaves is full (dir_index without large_dir): ` +
          "ask for more directories or fewer files",
      );
    }
    this.#nodeBlocks.splice(node + 1, 0, this.#append(trail));
    this.#nodeStarts.splice(node + 1, 0, start + ((end - start) >> 1));
    trail.write(this.#nodeBlocks[node]!);
    trail.write(this.rootBlock);
  }

  /** After adding a level ext4_dx_add_entry starts over: the leaf's write access is asked again. */
  #retry(trail: Trail): void {
    trail.write(this.#leaves.block(this.#leafIds[this.#at]!));
  }

  /**
   * Takes a name away (its leaf is `leafBlock`); false when no name has this hash. Sets what `find`
   * sets.
   */
  remove(hash: number, second: number): boolean {
    this.find(hash, second);
    return this.#leaves.remove(this.#leafIds[this.#at]!, hash);
  }

  /** Gives the leaves back; the directory must not be used again. */
  release(): void {
    for (let i = 0; i < this.#leafCount; i++) {
      this.#leaves.release(this.#leafIds[i]!);
    }
    this.#leafCount = 0;
  }
}
