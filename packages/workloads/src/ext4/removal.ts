import { Access, HandleFlag, type HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./costs.js";
import { CREDITS, evictCredits } from "./credits.js";
import type { Directory } from "./directory.js";
import type { FileSystem } from "./file-system.js";
import type { Task } from "./task.js";
import type { Trail } from "./trail.js";

/** ext4_rename of a file to a new name in another (or the same) directory. */
export function rename(
  fs: FileSystem,
  sink: HandleSink,
  task: Task,
  file: { inode: number; from: Directory; oldHash: number; to: Directory; newHash: number },
): void {
  const { inode, from, oldHash, to, newHash } = file;
  const { trail } = fs;
  trail.clear();
  to.find(newHash, task.second);
  to.insert(newHash, trail);
  const think = task.think(COSTS.systemCall);
  sink.handle(CREDITS.rename, think, task.body(COSTS.renameBody), inode, HandleFlag.None);
  to.emit(sink, trail);
  sink.access(Access.Write, fs.groups.inodeBlockOf(inode));
  from.remove(oldHash, task.second);
  sink.access(Access.Write, from.leafBlock);
  sink.access(Access.Write, from.inodeBlock);
}

/**
 * ext4_unlink and ext4_evict_inode of a file with `blocks` data blocks from dataBlock on (0: an
 * empty file).
 */
export function unlink(
  fs: FileSystem,
  sink: HandleSink,
  task: Task,
  parent: Directory,
  file: { hash: number; inode: number; dataBlock: number; blocks: number },
): void {
  const { inode, dataBlock, blocks } = file;
  unlinkName(fs, sink, task, parent, file.hash, inode);
  const { trail } = fs;
  const inodeBlock = fs.groups.inodeBlockOf(inode);
  trail.clear();
  trail.write(inodeBlock);
  if (blocks > 0) {
    // ext4_truncate: size, then the extent is freed, then block count, extents and times.
    trail.write(inodeBlock);
    freeBlocks(trail, fs, dataBlock, inodeBlock);
    trail.write(inodeBlock);
    trail.write(inodeBlock);
  }
  freeInode(fs, sink, task, inode, blocks);
}

/** ext4_rmdir of an empty directory and its eviction, which revokes each of its blocks. */
export function rmdir(
  fs: FileSystem,
  sink: HandleSink,
  task: Task,
  parent: Directory,
  hash: number,
  victim: Directory,
): void {
  unlinkName(fs, sink, task, parent, hash, victim.inode);
  const { trail } = fs;
  const { inodeBlock } = victim;
  const blocks = victim.content.blocks.concat(victim.content.extentBlocks);
  trail.clear();
  trail.write(inodeBlock);
  trail.write(inodeBlock);
  let end = blocks.length;
  while (end > 0) {
    let start = end - 1;
    while (start > 0 && blocks[start - 1]! + 1 === blocks[start]!) {
      start--;
    }
    for (let i = start; i < end; i++) {
      trail.push(Access.Forget, blocks[i]!);
    }
    freeBlocks(trail, fs, blocks[start]!, inodeBlock);
    end = start;
  }
  trail.write(inodeBlock);
  trail.write(inodeBlock);
  freeInode(fs, sink, task, victim.inode, blocks.length);
  victim.release();
}

/** The name's leaf, the directory, the orphan list (its head is in the superblock), the inode. */
function unlinkName(
  fs: FileSystem,
  sink: HandleSink,
  task: Task,
  parent: Directory,
  hash: number,
  inode: number,
): void {
  const inodeBlock = fs.groups.inodeBlockOf(inode);
  parent.remove(hash, task.second);
  const search = COSTS.lookupEntry * parent.scanned;
  const think = task.think(COSTS.unlinkThink + search);
  const body = task.body(COSTS.unlinkBody + search);
  sink.handle(CREDITS.unlink, think, body, inode, HandleFlag.None);
  sink.access(Access.Write, parent.leafBlock);
  sink.access(Access.Write, parent.inodeBlock);
  sink.access(Access.Write, fs.geometry.superblock);
  sink.access(Access.Write, inodeBlock);
  sink.access(Access.Write, inodeBlock);
}

/** ext4_free_blocks of one extent: bitmap, descriptor, and the inode for its block count. */
function freeBlocks(trail: Trail, fs: FileSystem, block: number, inodeBlock: number): void {
  const group = fs.geometry.groupOfBlock(block);
  trail.write(fs.groups.blockBitmapOf(group));
  trail.write(fs.groups.descriptorOf(group));
  trail.write(inodeBlock);
}

/** Ends an eviction: off the orphan list, out of the inode bitmap. */
function freeInode(
  fs: FileSystem,
  sink: HandleSink,
  task: Task,
  inode: number,
  blocks: number,
): void {
  const { geometry, groups, trail } = fs;
  const group = geometry.groupOfInode(inode);
  const inodeBlock = groups.inodeBlockOf(inode);
  trail.write(geometry.superblock);
  trail.write(inodeBlock);
  trail.write(inodeBlock);
  trail.write(groups.inodeBitmapOf(group));
  trail.write(groups.descriptorOf(group));
  const body = task.body(COSTS.evictBody);
  sink.handle(evictCredits(blocks), 0, body, inode, HandleFlag.None);
  trail.replay(sink);
  groups.freeInode(inode);
}
