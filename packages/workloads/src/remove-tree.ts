import type { HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./ext4/costs.js";
import type { Directory } from "./ext4/directory.js";
import { FileSystem } from "./ext4/file-system.js";
import { rmdir, unlink } from "./ext4/removal.js";
import { Task } from "./ext4/task.js";
import { cpuParameters, type Lane, laneWorkload, threadsParameter } from "./lanes.js";
import { NULL_SINK } from "./null-sink.js";
import { topGroups } from "./top-groups.js";
import { nextDepth, TREE_NAME_LENGTH, treeDirectoryFiles, treeFileBytes } from "./tree.js";
import { defineWorkload } from "./workload.js";

interface TreeFile {
  readonly hash: number;
  readonly inode: number;
  readonly dataBlock: number;
  readonly blocks: number;
}

/** A directory that waits to be removed; its name is in the parent. */
interface TreeDirectory {
  readonly directory: Directory;
  readonly parent: Directory;
  readonly hash: number;
  readonly files: TreeFile[];
  readonly children: TreeDirectory[];
}

class RemoveLane implements Lane {
  readonly units: number;
  readonly #fs: FileSystem;
  readonly #builder: Task;
  readonly #top: Directory;
  readonly #values: { treeFiles: number; filesPerDirectory: number; depth: number };
  unitsLeft: number;
  /** The way from the tree's top to where rm is. */
  #path: TreeDirectory[] = [];

  constructor(
    fs: FileSystem,
    readonly task: Task,
    builder: Task,
    top: Directory,
    values: { files: number; treeFiles: number; filesPerDirectory: number; depth: number },
  ) {
    this.#fs = fs;
    this.#builder = builder;
    this.#top = top;
    this.#values = values;
    this.unitsLeft = values.files;
    this.units = values.files;
  }

  step(sink: HandleSink): boolean {
    const at = this.#path.at(-1);
    if (at === undefined) {
      if (this.unitsLeft === 0) {
        return false;
      }
      this.#path.push(this.#build(Math.min(this.unitsLeft, this.#values.treeFiles)));
      return this.step(sink);
    }
    const file = at.files.pop();
    if (file !== undefined) {
      this.unitsLeft--;
      unlink(this.#fs, sink, this.task, at.directory, file);
      return true;
    }
    const child = at.children.pop();
    if (child !== undefined) {
      this.#path.push(child);
      return this.step(sink);
    }
    this.#path.pop();
    rmdir(this.#fs, sink, this.task, at.parent, at.hash, at.directory);
    return true;
  }

  /** A tree that exists before it is removed: laid out as untar would, no handles. */
  #build(files: number): TreeDirectory {
    const { filesPerDirectory, depth } = this.#values;
    const { random } = this.#builder;
    const root = this.#makeDirectory(this.#top);
    const path = [root];
    let left = files;
    while (left > 0) {
      path.length = nextDepth(random, path.length - 1, depth);
      const parent = path.at(-1)!;
      const child = this.#makeDirectory(parent.directory);
      parent.children.push(child);
      path.push(child);
      const count = Math.min(left, treeDirectoryFiles(random, filesPerDirectory));
      left -= count;
      for (let i = 0; i < count; i++) {
        child.files.push(this.#makeFile(child.directory));
      }
      sortAsRead(child);
    }
    return root;
  }

  #makeDirectory(parent: Directory): TreeDirectory {
    const hash = this.#builder.hash();
    const directory = this.#fs.mkdir(NULL_SINK, this.#builder, parent, hash, TREE_NAME_LENGTH);
    return { directory, parent, hash, files: [], children: [] };
  }

  #makeFile(directory: Directory): TreeFile {
    const fs = this.#fs;
    const builder = this.#builder;
    const hash = builder.hash();
    const inode = fs.create(NULL_SINK, builder, directory, hash, COSTS.systemCall);
    const blocks = Math.ceil(treeFileBytes(builder.random) / fs.geometry.blockSize);
    const dataBlock = blocks > 0 ? fs.write(NULL_SINK, builder, inode, blocks) : 0;
    return { hash, inode, dataBlock, blocks };
  }
}

/**
 * readdir gives an indexed directory in hash order, a small one in the order of its block; files
 * are taken from the end.
 */
function sortAsRead(directory: TreeDirectory): void {
  if (directory.directory.indexed) {
    directory.files.sort((a, b) => b.hash - a.hash);
  } else {
    directory.files.reverse();
  }
}

export const removeTree = defineWorkload({
  name: "remove-tree",
  summary: "removes source trees: unlinks, evictions, revoked directory blocks",
  doc: {
    idea:
      "Trees that exist are removed as rm -r does: every file is unlinked and its blocks are " +
      "freed, every directory is " +
      "removed after its content and its blocks are revoked. When one tree is gone the next is " +
      "laid out, silently.",
    source: "rm -r; ext4_unlink, ext4_rmdir, ext4_evict_inode and ext4_free_blocks of Linux 6.12",
    blocks:
      "unlink: leaf, directory's inode, superblock (orphan list), inode; eviction: inode, block " +
      "bitmap, group " +
      "descriptor, superblock, inode bitmap; rmdir: a forget (revoke) per directory block, then " +
      "the same",
    seedVaries:
      "the shapes of the trees, file sizes, the hashes of names (hence the order of removal in " +
      "indexed directories), " +
      "the jitter of thinking times, the flex groups of further threads",
  },
  parameters: {
    files: {
      kind: "integer",
      default: 80_000,
      min: 1,
      max: 100_000_000,
      unit: "files per thread",
      help: "files each thread removes",
    },
    treeFiles: {
      kind: "integer",
      default: 40_000,
      min: 1,
      max: 1_000_000,
      unit: "files",
      help: "files of one tree",
    },
    filesPerDirectory: {
      kind: "integer",
      default: 14,
      min: 1,
      max: 100_000,
      unit: "files",
      help: "mean number of files in a directory",
    },
    depth: {
      kind: "integer",
      default: 6,
      min: 1,
      max: 64,
      unit: "levels",
      help: "depth of a tree",
    },
    threads: threadsParameter,
    ...cpuParameters,
  },
  work: "files",
  create(values, context) {
    const { seed } = context;
    const fs = new FileSystem(context.geometry);
    const groups = topGroups(context, context.threads ?? values.threads);
    const lanes = groups.map((group, thread) => {
      const task = new Task(seed, thread, values.cpuScale, values.thinkJitter);
      const builder = new Task(seed, thread + 256, 0, 0);
      const top = fs.existingDirectory(group, TREE_NAME_LENGTH);
      return new RemoveLane(fs, task, builder, top, values);
    });
    return laneWorkload("remove-tree", lanes);
  },
});
