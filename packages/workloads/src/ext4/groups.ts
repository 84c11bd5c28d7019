import { WorkloadError } from "../error.js";
import type { Geometry } from "./geometry.js";

/** A group's inodes: its bitmap and the block numbers of its metadata, computed once. */
interface InodeGroup {
  readonly group: number;
  readonly bitmap: Int32Array;
  /** Word of the bitmap below which nothing is free. */
  hint: number;
  free: number;
  /** BLOCK_UNINIT: the first inode or block taken here initialises the block bitmap. */
  uninitialised: boolean;
  readonly bitmapBlock: number;
  readonly blockBitmapBlock: number;
  readonly descriptorBlock: number;
  readonly tableStart: number;
  readonly firstInode: number;
}

/**
 * Inode and block allocation of ext4 (ialloc.c, mballoc.c), as far as it decides which metadata
 * blocks a handle touches. After `allocateInode` the fields tell what the kernel looked at. Memory:
 * one bitmap per group in use.
 */
export class Groups {
  /** The inode taken last. */
  inode = 0;
  inodeGroup = 0;
  inodeBitmap = 0;
  descriptor = 0;
  inodeBlock = 0;
  /** The block bitmap that had to be initialised too, or -1. */
  initialisedBitmap = -1;
  /** 64-bit words of the inode bitmap that ext4_find_next_zero_bit read. */
  wordsScanned = 0;
  /** Groups of the flex group passed over because they were full. */
  groupsScanned = 0;
  /** True when the inode is the first of its table block. */
  newTableBlock = false;
  /** Group of the block taken last. */
  blockGroup = 0;

  readonly #geometry: Geometry;
  readonly #groups: (InodeGroup | undefined)[] = [];
  /** Next free block of each group for directories and for data (never given back). */
  readonly #nextBlock: Int32Array;
  /** Flex group by flex group: the first group that may have a free inode. */
  readonly #firstFree: Int32Array;
  readonly #inodeShift: number;
  #dataGroup = -1;

  constructor(geometry: Geometry) {
    this.#geometry = geometry;
    const flexes = Math.ceil(geometry.groups / geometry.flexBgSize);
    this.#nextBlock = new Int32Array(geometry.groups).fill(-1);
    this.#firstFree = Int32Array.from({ length: flexes }, (_, i) => i * geometry.flexBgSize);
    this.#inodeShift = Math.log2(geometry.inodesPerBlock);
    // Inodes 1-10 are reserved, 11 is lost+found.
    const first = this.#group(0);
    first.uninitialised = false;
    for (let i = 0; i < 11; i++) {
      this.#takeBit(first);
    }
  }

  #group(group: number): InodeGroup {
    let found = this.#groups[group];
    if (found === undefined) {
      const geometry = this.#geometry;
      const bitmap = new Int32Array(Math.ceil(geometry.inodesPerGroup / 32));
      const rest = geometry.inodesPerGroup % 32;
      if (rest !== 0) {
        bitmap[bitmap.length - 1] = -1 << rest;
      }
      found = {
        group,
        bitmap,
        hint: 0,
        free: geometry.inodesPerGroup,
        uninitialised: group % geometry.flexBgSize !== 0,
        bitmapBlock: geometry.inodeBitmap(group),
        blockBitmapBlock: geometry.blockBitmap(group),
        descriptorBlock: geometry.descriptorBlock(group),
        tableStart: geometry.inodeTable(group),
        firstInode: group * geometry.inodesPerGroup + 1,
      };
      this.#groups[group] = found;
    }
    return found;
  }

  /** Takes the first zero bit of a group's bitmap; returns its index. */
  #takeBit(group: InodeGroup): number {
    const { bitmap } = group;
    let word = group.hint;
    while (bitmap[word] === -1) {
      word++;
    }
    group.hint = word;
    const zeros = ~bitmap[word]!;
    const bit = 31 - Math.clz32(zeros & -zeros);
    bitmap[word]! |= 1 << bit;
    group.free--;
    return word * 32 + bit;
  }

  /**
   * An inode of `group`'s flex group, or of the next flex group that has one (find_group_other).
   * Sets the fields. Throws WorkloadError when the file system has no inode left.
   */
  allocateInode(group: number): number {
    const flexSize = this.#geometry.flexBgSize;
    const flex = (group / flexSize) | 0;
    let at = this.#firstFree[flex]!;
    let found = this.#groups[at] ?? this.#group(at);
    if (found.free === 0) {
      found = this.#nextWithRoom(flex);
      at = found.group;
    }
    const index = this.#takeBit(found);
    const tableBlock = index >> this.#inodeShift;
    this.groupsScanned = at % flexSize;
    this.wordsScanned = (index >>> 6) + 1;
    this.inode = found.firstInode + index;
    this.inodeGroup = at;
    this.inodeBitmap = found.bitmapBlock;
    this.descriptor = found.descriptorBlock;
    this.inodeBlock = found.tableStart + tableBlock;
    this.newTableBlock = index === tableBlock << this.#inodeShift;
    this.initialisedBitmap = found.uninitialised ? found.blockBitmapBlock : -1;
    found.uninitialised = false;
    return this.inode;
  }

  /**
   * The next group with a free inode, from the flex group's first candidate on; later flex groups
   * follow.
   */
  #nextWithRoom(flex: number): InodeGroup {
    const { flexBgSize, groups } = this.#geometry;
    const flexes = this.#firstFree.length;
    for (let i = 0; i < flexes; i++) {
      const candidate = (flex + i) % flexes;
      const end = Math.min(groups, (candidate + 1) * flexBgSize);
      for (let at = this.#firstFree[candidate]!; at < end; at++) {
        if (this.#group(at).free > 0) {
          this.#firstFree[candidate] = at;
          return this.#group(at);
        }
      }
      this.#firstFree[candidate] = end - 1;
    }
    throw new WorkloadError(
      "ext4",
      `the file system has no inode left (${this.#geometry.inodes} in all): ` +
        "ask for a larger file system or a smaller inode ratio",
    );
  }

  #freeInFlex(flex: number): number {
    const { flexBgSize, groups, inodesPerGroup } = this.#geometry;
    const end = Math.min(groups, (flex + 1) * flexBgSize);
    let free = 0;
    for (let at = flex * flexBgSize; at < end; at++) {
      free += this.#groups[at]?.free ?? inodesPerGroup;
    }
    return free;
  }

  /**
   * Group for a new directory below a directory whose last inode came from `last`
   * (find_group_orlov, not top level): the first flex group from there on that has not fallen a
   * quarter of a flex group behind the average of free inodes.
   */
  groupForDirectory(last: number): number {
    const { flexBgSize, inodesPerGroup } = this.#geometry;
    const flexes = this.#firstFree.length;
    let total = 0;
    for (let flex = 0; flex < flexes; flex++) {
      total += this.#freeInFlex(flex);
    }
    const average = Math.floor(total / flexes);
    const least = Math.max(1, average - (inodesPerGroup * flexBgSize) / 4);
    const start = Math.floor(last / flexBgSize);
    for (let i = 0; i < flexes; i++) {
      const flex = (start + i) % flexes;
      if (this.#freeInFlex(flex) >= least) {
        return flex * flexBgSize;
      }
    }
    return last;
  }

  /** Gives an inode back; the next allocation in its group finds it again. */
  freeInode(inode: number): void {
    const { inodesPerGroup, flexBgSize } = this.#geometry;
    const at = this.#geometry.groupOfInode(inode);
    const group = this.#group(at);
    const index = inode - 1 - at * inodesPerGroup;
    const word = index >>> 5;
    group.bitmap[word]! &= ~(1 << (index & 31));
    group.hint = Math.min(group.hint, word);
    group.free++;
    const flex = Math.floor(at / flexBgSize);
    this.#firstFree[flex] = Math.min(this.#firstFree[flex]!, at);
  }

  /** The inode-table block that holds an inode. */
  inodeBlockOf(inode: number): number {
    const geometry = this.#geometry;
    const at = ((inode - 1) / geometry.inodesPerGroup) | 0;
    const group = this.#groups[at] ?? this.#group(at);
    return group.tableStart + ((inode - group.firstInode) >> this.#inodeShift);
  }

  inodeBitmapOf(group: number): number {
    return (this.#groups[group] ?? this.#group(group)).bitmapBlock;
  }

  blockBitmapOf(group: number): number {
    return (this.#groups[group] ?? this.#group(group)).blockBitmapBlock;
  }

  descriptorOf(group: number): number {
    return (this.#groups[group] ?? this.#group(group)).descriptorBlock;
  }

  /** True when `blocks` more blocks follow in the group. */
  #fits(group: number, blocks: number): boolean {
    if (this.#nextBlock[group] === -1) {
      this.#nextBlock[group] = this.#geometry.firstFreeBlock(group);
    }
    const end = this.#geometry.groupStart(group + 1);
    return !this.#geometry.isJournalGroup(group) && this.#nextBlock[group]! + blocks <= end;
  }

  #take(group: number, blocks: number): number {
    const block = this.#nextBlock[group]!;
    this.#nextBlock[group] = block + blocks;
    this.blockGroup = group;
    this.#group(group).uninitialised = false;
    return block;
  }

  /**
   * One block for a directory: ext4_inode_to_goal_block sends directories to the first group of
   * their flex group, and while that has room blocks follow each other. Throws WorkloadError when
   * the file system is full.
   */
  allocateDirectoryBlock(directoryGroup: number): number {
    return this.#allocateFrom(this.#geometry.flexStart(directoryGroup), 1);
  }

  /**
   * A window of `blocks` contiguous data blocks (mballoc's stream allocation: small files of a CPU
   * fill windows that follow each other). The first one lies in the second group of the flex group:
   * regular files leave the first to directories.
   */
  allocateData(fileGroup: number, blocks: number): number {
    if (this.#dataGroup === -1) {
      const start = this.#geometry.flexStart(fileGroup);
      this.#dataGroup = Math.min(start + 1, this.#geometry.groups - 1);
    }
    const block = this.#allocateFrom(this.#dataGroup, blocks);
    this.#dataGroup = this.blockGroup;
    return block;
  }

  #allocateFrom(start: number, blocks: number): number {
    const { groups } = this.#geometry;
    for (let i = 0; i < groups; i++) {
      const group = (start + i) % groups;
      if (this.#fits(group, blocks)) {
        return this.#take(group, blocks);
      }
    }
    throw new WorkloadError(
      "ext4",
      `the file system is full (${this.#geometry.blocks} blocks): ask for a larger one`,
    );
  }
}
