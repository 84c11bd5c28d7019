import type { HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./ext4/costs.js";
import type { Directory } from "./ext4/directory.js";
import { FileSystem } from "./ext4/file-system.js";
import { Task } from "./ext4/task.js";
import { cpuParameters, type Lane, laneWorkload, threadsParameter } from "./lanes.js";
import { topGroups } from "./top-groups.js";
import { nextDepth, TREE_NAME_LENGTH, treeDirectoryFiles, treeFileBytes } from "./tree.js";
import { defineWorkload } from "./workload.js";

class UntarLane implements Lane {
  readonly units: number;
  readonly #fs: FileSystem;
  readonly #mean: number;
  readonly #deepest: number;
  /** Directories from the top to the one being filled. */
  readonly #path: Directory[];
  unitsLeft: number;
  #inDirectory = 0;

  constructor(
    fs: FileSystem,
    readonly task: Task,
    top: Directory,
    values: { files: number; filesPerDirectory: number; depth: number },
  ) {
    this.#fs = fs;
    this.#path = [top];
    this.#mean = values.filesPerDirectory;
    this.#deepest = values.depth;
    this.unitsLeft = values.files;
    this.units = values.files;
  }

  step(sink: HandleSink): boolean {
    if (this.unitsLeft === 0) {
      return false;
    }
    if (this.#inDirectory === 0) {
      this.#descend(sink);
      return true;
    }
    this.#inDirectory--;
    this.unitsLeft--;
    const { task } = this;
    const directory = this.#path.at(-1)!;
    const inode = this.#fs.create(sink, task, directory, task.hash(), COSTS.systemCall);
    const blocks = Math.ceil(treeFileBytes(task.random) / this.#fs.geometry.blockSize);
    if (blocks > 0) {
      this.#fs.write(sink, task, inode, blocks);
    }
    // tar restores the owner, then the mode and the time stamps.
    this.#fs.touch(sink, task, inode);
    this.#fs.touch(sink, task, inode);
    return true;
  }

  /** The next directory of the archive; directories left behind get their time stamps now. */
  #descend(sink: HandleSink): void {
    const { task } = this;
    const depth = nextDepth(task.random, this.#path.length - 1, this.#deepest);
    while (this.#path.length > depth) {
      this.#fs.touch(sink, task, this.#path.pop()!.inode);
    }
    const parent = this.#path.at(-1)!;
    this.#path.push(this.#fs.mkdir(sink, task, parent, task.hash(), TREE_NAME_LENGTH));
    this.#inDirectory = treeDirectoryFiles(task.random, this.#mean);
  }
}

export const untar = defineWorkload({
  name: "untar",
  summary: "unpacks a source tree: directories, files of all sizes, time stamps",
  doc: {
    idea:
      "Walks a tree of directories in order, makes each file, writes it and sets its owner and " +
      "times. Blocks are " +
      "touched close together in time and not again: few rejoined buffers.",
    source:
      "GNU tar unpacking a kernel source tree as root; ext4 of Linux 6.12; sizes are assumed, " +
      "see tree.ts",
    blocks:
      "as fsmark's create, then the inode twice more; per directory a mkdir (bitmaps, " +
      "descriptor, inode, first block, " +
      "parent's leaf and inode); data when it is written: block bitmap, group descriptor, inode",
    seedVaries:
      "the shape of the tree, file sizes, the hashes of names, the jitter of thinking times, " +
      "the flex groups of " +
      "further threads",
  },
  parameters: {
    files: {
      kind: "integer",
      default: 80_000,
      min: 1,
      max: 10_000_000,
      unit: "files per thread",
      help: "files each thread unpacks",
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
      help: "depth of the tree",
    },
    threads: threadsParameter,
    ...cpuParameters,
  },
  work: "files",
  create(values, context) {
    const fs = new FileSystem(context.geometry);
    const groups = topGroups(context, context.threads ?? values.threads);
    const lanes = groups.map((group, thread) => {
      const task = new Task(context.seed, thread, values.cpuScale, values.thinkJitter);
      return new UntarLane(fs, task, fs.existingDirectory(group, TREE_NAME_LENGTH), values);
    });
    return laneWorkload("untar", lanes);
  },
});
