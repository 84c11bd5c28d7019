import { WorkloadError } from "../error.js";

/** mke2fs's options, in its terms. Everything has mke2fs's default for a large file system. */
export interface GeometryOptions {
  /** -b: 1024, 2048, 4096 ... 65536 bytes. */
  readonly blockSize?: number;
  /** Size of the file system, bytes. */
  readonly size?: number;
  /** -I: bytes per inode, a power of two, 128 ... blockSize. */
  readonly inodeSize?: number;
  /** -i: bytes of file system per inode. */
  readonly inodeRatio?: number;
  /** -g: blocks per group, a multiple of 8, at most 8 x blockSize. */
  readonly blocksPerGroup?: number;
  /** -G: groups per flex group, a power of two; 1 = no flex_bg. */
  readonly flexBgSize?: number;
  /**
   * Descriptor blocks kept free so that the file system can grow; default as mke2fs's resize_inode
   * (for 1024 times the size), 0 without that feature.
   */
  readonly reservedDescriptorBlocks?: number;
  /** Size of a group descriptor: 64 with the 64bit feature, else 32. */
  readonly descriptorSize?: 32 | 64;
  /**
   * Log blocks inside the file system (0 = external journal): kept free of directories and data.
   */
  readonly journalBlocks?: number;
  /**
   * Group of the (first) test directory; default the reference recording's 128, or 0 on a smaller
   * file system.
   */
  readonly firstGroup?: number;
}

/** The contract numbers blocks 0 ... 2^29-1. */
const MAX_BLOCKS = 2 ** 29;
const DEFAULT_SIZE = 256 * 2 ** 30;

function check(ok: boolean, what: string, expected: string, found: number): void {
  if (!ok) {
    throw new WorkloadError("geometry", `geometry: ${what}: expected ${expected}, found ${found}`);
  }
}

/** The options that need no other figure to be judged. */
function checked(options: GeometryOptions) {
  const { blockSize = 4096, inodeSize = 256, flexBgSize = 16 } = options;
  check(
    isPowerOfTwo(blockSize) && blockSize >= 1024 && blockSize <= 65536,
    "block size",
    "a power of two from 1024 to 65536",
    blockSize,
  );
  check(
    isPowerOfTwo(inodeSize) && inodeSize >= 128 && inodeSize <= blockSize,
    "inode size",
    `a power of two from 128 to ${blockSize}`,
    inodeSize,
  );
  check(isPowerOfTwo(flexBgSize), "flex group size", "a power of two", flexBgSize);
  const blocksPerGroup = options.blocksPerGroup ?? 8 * blockSize;
  check(
    blocksPerGroup % 8 === 0 && blocksPerGroup >= 256 && blocksPerGroup <= 8 * blockSize,
    "blocks per group",
    `a multiple of 8 from 256 to ${8 * blockSize}`,
    blocksPerGroup,
  );
  return { blockSize, inodeSize, flexBgSize, blocksPerGroup };
}

const isPowerOfTwo = (n: number): boolean => Number.isInteger(n) && n > 0 && (n & (n - 1)) === 0;

/**
 * Where mke2fs puts an ext4 file system's metadata: superblock, group descriptors, the bitmaps and
 * inode tables of a flex group packed at its start, backups in groups 0, 1 and powers of 3, 5 and 7
 * (sparse_super), the log in the middle. Block numbers are file-system blocks, group and index
 * numbers start at 0, inode numbers at 1. The defaults give the reference recording's blocks: block
 * bitmap of group 128 at 4194304, inode bitmap at 4194320, inode table at 4194336, directories from
 * 4202528, descriptors of groups 128-191 in block 3.
 */
export class Geometry {
  readonly blockSize: number;
  readonly blocks: number;
  readonly inodeSize: number;
  readonly inodesPerBlock: number;
  readonly inodesPerGroup: number;
  readonly blocksPerGroup: number;
  /** Whole groups; a rest behind the last one is laid out but not used. */
  readonly groups: number;
  readonly #groupsOnDisk: number;
  readonly flexBgSize: number;
  readonly tableBlocksPerGroup: number;
  /**
   * Group descriptor blocks (and as many reserved ones follow as the file system may grow by 1024).
   */
  readonly descriptorBlocks: number;
  readonly reservedDescriptorBlocks: number;
  readonly descriptorsPerBlock: number;
  /**
   * Block 1 with 1 KiB blocks (block 0 is the boot block), else 0. Also the superblock's number.
   */
  readonly firstDataBlock: number;
  readonly firstGroup: number;
  readonly journalBlocks: number;
  /** First group the log occupies; it runs on through `journalBlocks` blocks. */
  readonly journalGroup: number;

  constructor(options: GeometryOptions = {}) {
    const { blockSize, inodeSize, flexBgSize, blocksPerGroup } = checked(options);
    this.blockSize = blockSize;
    this.inodeSize = inodeSize;
    this.inodesPerBlock = blockSize / inodeSize;
    this.blocksPerGroup = blocksPerGroup;
    this.flexBgSize = flexBgSize;
    this.firstDataBlock = blockSize === 1024 ? 1 : 0;
    const size = options.size ?? DEFAULT_SIZE;
    this.blocks = Math.floor(size / blockSize);
    check(
      this.blocks <= MAX_BLOCKS,
      "size",
      `at most ${MAX_BLOCKS * blockSize} bytes (2^29 blocks of ${blockSize})`,
      size,
    );
    this.groups = Math.floor((this.blocks - this.firstDataBlock) / blocksPerGroup);
    this.#groupsOnDisk = Math.ceil((this.blocks - this.firstDataBlock) / blocksPerGroup);
    check(this.groups >= 1, "size", `at least one group of ${blocksPerGroup} blocks`, size);
    this.inodesPerGroup = this.#inodesPerGroup(options.inodeRatio ?? 16384);
    this.tableBlocksPerGroup = Math.ceil(this.inodesPerGroup / this.inodesPerBlock);
    this.descriptorsPerBlock = blockSize / (options.descriptorSize ?? 64);
    this.descriptorBlocks = Math.ceil(this.#groupsOnDisk / this.descriptorsPerBlock);
    this.reservedDescriptorBlocks =
      options.reservedDescriptorBlocks ?? this.#reservedDescriptorBlocks();
    check(
      this.#packedBlocks(0) + this.#backupBlocks() < blocksPerGroup,
      "flex group size",
      "bitmaps and inode tables that fit one group",
      flexBgSize,
    );
    this.journalBlocks = options.journalBlocks ?? 0;
    const middle = Math.floor(this.groups / 2);
    this.journalGroup = middle - (middle % flexBgSize) + Math.min(1, flexBgSize - 1);
    this.firstGroup = options.firstGroup ?? (this.groups >= 144 && flexBgSize <= 128 ? 128 : 0);
    check(
      Number.isInteger(this.firstGroup) && this.firstGroup >= 0 && this.firstGroup < this.groups,
      "first group",
      `0 to ${this.groups - 1}`,
      this.firstGroup,
    );
  }

  /** lib/ext2fs/initialize.c: as many inodes in each group, in whole table blocks. */
  #inodesPerGroup(inodeRatio: number): number {
    check(
      inodeRatio >= this.blockSize,
      "inode ratio",
      `at least one block (${this.blockSize} bytes)`,
      inodeRatio,
    );
    const inodes = Math.floor((this.blocks * this.blockSize) / inodeRatio);
    const wanted = Math.ceil(inodes / this.#groupsOnDisk);
    const whole = Math.max(8, Math.ceil(wanted / this.inodesPerBlock) * this.inodesPerBlock);
    return Math.min(whole, 8 * this.blockSize);
  }

  /** lib/ext2fs/initialize.c: calc_reserved_gdt_blocks. */
  #reservedDescriptorBlocks(): number {
    const grown = Math.min(this.blocks * 1024, 2 ** 32 - 1);
    const groups = Math.ceil((grown - this.firstDataBlock) / this.blocksPerGroup);
    const blocks = Math.ceil(groups / this.descriptorsPerBlock) - this.descriptorBlocks;
    return Math.max(0, Math.min(blocks, this.blockSize / 4));
  }

  /** Groups of a flex group: the last one may have fewer. */
  #groupsOfFlex(start: number): number {
    return Math.min(this.flexBgSize, this.#groupsOnDisk - start);
  }

  /** Bitmaps and inode tables of a flex group. */
  #packedBlocks(start: number): number {
    return this.#groupsOfFlex(start) * (2 + this.tableBlocksPerGroup);
  }

  #backupBlocks(): number {
    return 1 + this.descriptorBlocks + this.reservedDescriptorBlocks;
  }

  get superblock(): number {
    return this.firstDataBlock;
  }

  get inodes(): number {
    return this.groups * this.inodesPerGroup;
  }

  /** First block of a group. */
  groupStart(group: number): number {
    return this.firstDataBlock + group * this.blocksPerGroup;
  }

  /** First group of the flex group a group is in. */
  flexStart(group: number): number {
    return group - (group % this.flexBgSize);
  }

  /** The (primary) descriptor block of a group. */
  descriptorBlock(group: number): number {
    return this.firstDataBlock + 1 + Math.floor(group / this.descriptorsPerBlock);
  }

  /** sparse_super: groups 0, 1 and powers of 3, 5 and 7 hold a superblock and descriptors. */
  hasSuper(group: number): boolean {
    return group <= 1 || [3, 5, 7].some((base) => isPowerOf(base, group));
  }

  #packedStart(group: number): number {
    const start = this.flexStart(group);
    return this.groupStart(start) + (this.hasSuper(start) ? this.#backupBlocks() : 0);
  }

  blockBitmap(group: number): number {
    return this.#packedStart(group) + (group % this.flexBgSize);
  }

  inodeBitmap(group: number): number {
    return this.blockBitmap(group) + this.#groupsOfFlex(this.flexStart(group));
  }

  /** First block of a group's inode table. */
  inodeTable(group: number): number {
    const index = group % this.flexBgSize;
    const bitmaps = 2 * this.#groupsOfFlex(this.flexStart(group));
    return this.#packedStart(group) + bitmaps + index * this.tableBlocksPerGroup;
  }

  /** First block of a group that metadata of fixed place leaves to directories and files. */
  firstFreeBlock(group: number): number {
    if (group % this.flexBgSize === 0) {
      return this.#packedStart(group) + this.#packedBlocks(group);
    }
    return this.groupStart(group) + (this.hasSuper(group) ? this.#backupBlocks() : 0);
  }

  /** True for groups whose blocks the log occupies. */
  isJournalGroup(group: number): boolean {
    const groups = Math.ceil(this.journalBlocks / this.blocksPerGroup);
    return group >= this.journalGroup && group < this.journalGroup + groups;
  }

  groupOfInode(inode: number): number {
    return Math.floor((inode - 1) / this.inodesPerGroup);
  }

  /** The inode-table block that holds an inode. */
  inodeBlock(inode: number): number {
    const group = this.groupOfInode(inode);
    const index = inode - 1 - group * this.inodesPerGroup;
    return this.inodeTable(group) + Math.floor(index / this.inodesPerBlock);
  }

  groupOfBlock(block: number): number {
    return Math.floor((block - this.firstDataBlock) / this.blocksPerGroup);
  }
}

function isPowerOf(base: number, n: number): boolean {
  let power = base;
  while (power < n) {
    power *= base;
  }
  return power === n;
}
