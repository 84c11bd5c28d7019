import { Access, HandleFlag, type HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./costs.js";
import { CREDITS } from "./credits.js";
import { Directory, Growth } from "./directory.js";
import type { Geometry } from "./geometry.js";
import { Groups } from "./groups.js";
import { DirectoryShape, Leaves } from "./leaves.js";
import type { Task } from "./task.js";
import { Trail } from "./trail.js";

/** Data windows of a thread (mballoc: a locality group's preallocation), in blocks. */
const WINDOW = 512;

/**
 * ext4's operations as journal handles: each method writes one record (or two) with the accesses in
 * the kernel's order, as the reference recording shows them. One file system is shared by all
 * threads of a workload.
 */
export class FileSystem {
  readonly geometry: Geometry;
  readonly groups: Groups;
  /** Reused by every operation. */
  readonly trail = new Trail();
  readonly #firstBlock = new Trail();
  readonly #leaves = new Map<number, Leaves>();

  constructor(geometry: Geometry) {
    this.geometry = geometry;
    this.groups = new Groups(geometry);
  }

  #leavesFor(nameLength: number): Leaves {
    let leaves = this.#leaves.get(nameLength);
    if (leaves === undefined) {
      leaves = new Leaves(new DirectoryShape(this.geometry.blockSize, nameLength));
      this.#leaves.set(nameLength, leaves);
    }
    return leaves;
  }

  #directory(inode: number, nameLength: number): Directory {
    return new Directory(this.#leavesFor(nameLength), this.groups, this.geometry, inode);
  }

  /**
   * A directory of the top level that exists before the run: its inode and block are taken, nothing
   * is touched.
   */
  existingDirectory(group: number, nameLength: number): Directory {
    const directory = this.#directory(this.groups.allocateInode(group), nameLength);
    directory.place();
    return directory;
  }

  /**
   * __ext4_new_inode: bitmap, descriptor, the block bitmap of a group not used before, the table
   * block.
   */
  #emitNewInode(sink: HandleSink, inodeBlock: number): void {
    const { groups } = this;
    sink.access(Access.Write, groups.inodeBitmap);
    sink.access(Access.Write, groups.descriptor);
    if (groups.initialisedBitmap !== -1) {
      sink.access(Access.Write, groups.initialisedBitmap);
    }
    sink.access(Access.Write, inodeBlock);
    sink.access(Access.Write, inodeBlock);
  }

  /** Reading a leaf to look a name up, and finding an inode. */
  #searchNs(directory: Directory, indexed: boolean): number {
    const { groups } = this;
    return (
      (indexed ? COSTS.indexThink : 0) +
      COSTS.lookupEntry * directory.scanned +
      COSTS.otherSecond * directory.others +
      COSTS.bitmapWord * groups.wordsScanned +
      COSTS.fullGroup * groups.groupsScanned
    );
  }

  #insertNs(directory: Directory, indexed: boolean): number {
    return (
      (indexed ? COSTS.indexBody : 0) +
      COSTS.insertEntry * directory.scanned +
      COSTS.otherSecond * directory.others +
      (this.groups.newTableBlock ? COSTS.newTableBlock : 0) +
      (directory.growth === Growth.None
        ? 0
        : directory.growth === Growth.Split
          ? COSTS.split
          : COSTS.index)
    );
  }

  /**
   * ext4_create: a new file in `parent`; returns its inode. thinkNs: the caller's own time before
   * it, unscaled.
   */
  create(sink: HandleSink, task: Task, parent: Directory, hash: number, thinkNs: number): number {
    const { groups, trail } = this;
    trail.clear();
    const indexed = parent.indexed;
    parent.find(hash, task.second);
    const inode = groups.allocateInode(parent.group);
    const { inodeBlock } = groups;
    parent.lastGroup = groups.inodeGroup;
    parent.insert(hash, trail);
    const think = task.think(thinkNs + this.#searchNs(parent, indexed));
    const body = task.body(COSTS.createBody + this.#insertNs(parent, indexed));
    sink.handle(CREDITS.create, think, body, inode, HandleFlag.None);
    this.#emitNewInode(sink, inodeBlock);
    parent.emit(sink, trail);
    sink.access(Access.Write, inodeBlock);
    return inode;
  }

  /** ext4_mkdir. nameLength: of the names the new directory will hold. */
  mkdir(
    sink: HandleSink,
    task: Task,
    parent: Directory,
    hash: number,
    nameLength: number,
  ): Directory {
    const { groups, trail } = this;
    trail.clear();
    parent.find(hash, task.second);
    const inode = groups.allocateInode(groups.groupForDirectory(parent.lastGroup));
    parent.lastGroup = groups.inodeGroup;
    const directory = this.#directory(inode, nameLength);
    this.#firstBlock.clear();
    directory.initialise(this.#firstBlock);
    parent.insert(hash, trail);
    const think = task.think(COSTS.mkdirThink);
    sink.handle(CREDITS.create, think, task.body(COSTS.mkdirBody), inode, HandleFlag.None);
    this.#emitNewInode(sink, directory.inodeBlock);
    this.#firstBlock.replay(sink);
    sink.access(Access.Write, directory.inodeBlock);
    parent.emit(sink, trail);
    sink.access(Access.Write, parent.inodeBlock);
    return directory;
  }

  /**
   * ext4_sample_last_mounted: the first open after a mount writes the mount point into the
   * superblock.
   */
  firstOpen(sink: HandleSink, task: Task): void {
    sink.handle(CREDITS.superblock, 0, task.body(COSTS.inodeUpdate / 2), 0, HandleFlag.None);
    sink.access(Access.Write, this.geometry.superblock);
  }

  /**
   * The handle begun last also dirties `blocks` pages of `inode`; their writer allocates one extent
   * (ext4_writepages: bitmap, descriptor, and the inode for extents, block count and size). Returns
   * the first data block.
   */
  write(sink: HandleSink, task: Task, inode: number, blocks: number): number {
    const { geometry } = this;
    const dataBlock = this.#dataBlocks(task, geometry.groupOfInode(inode), blocks);
    this.writeAt(sink, task, inode, blocks, dataBlock);
    return dataBlock;
  }

  /** As `write`, to blocks the caller has chosen. */
  writeAt(sink: HandleSink, task: Task, inode: number, blocks: number, dataBlock: number): void {
    const { groups } = this;
    const group = this.geometry.groupOfBlock(dataBlock);
    const inodeBlock = groups.inodeBlockOf(inode);
    sink.data(blocks, dataBlock, CREDITS.writePages, task.scaled(COSTS.allocate));
    sink.allocAccess(Access.Write, groups.blockBitmapOf(group));
    sink.allocAccess(Access.Write, groups.descriptorOf(group));
    sink.allocAccess(Access.Write, inodeBlock);
    sink.allocAccess(Access.Write, inodeBlock);
    sink.allocAccess(Access.Write, inodeBlock);
    task.pending += COSTS.writePage * blocks;
  }

  #dataBlocks(task: Task, group: number, blocks: number): number {
    if (blocks > WINDOW) {
      return this.groups.allocateData(group, blocks);
    }
    if (task.windowNext + blocks > task.windowEnd) {
      task.windowNext = this.groups.allocateData(group, WINDOW);
      task.windowEnd = task.windowNext + WINDOW;
    }
    const block = task.windowNext;
    task.windowNext += blocks;
    return block;
  }

  /** ext4_dirty_inode: time stamps, mode or owner of one inode. */
  touch(sink: HandleSink, task: Task, inode: number): void {
    const think = task.think(COSTS.systemCall);
    sink.handle(CREDITS.inode, think, task.body(COSTS.inodeUpdate), inode, HandleFlag.None);
    sink.access(Access.Write, this.groups.inodeBlockOf(inode));
  }
}
