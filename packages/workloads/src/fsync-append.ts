import type { HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./ext4/costs.js";
import type { Directory } from "./ext4/directory.js";
import { FileSystem } from "./ext4/file-system.js";
import { unlink } from "./ext4/removal.js";
import { Task } from "./ext4/task.js";
import { cpuParameters, type Lane, laneWorkload, threadsParameter } from "./lanes.js";
import { topGroups } from "./top-groups.js";
import { defineWorkload } from "./workload.js";

/** "wal-" and a number: the log files of a database. */
const NAME_LENGTH = 20;

interface LogFile {
  readonly hash: number;
  readonly inode: number;
  readonly dataBlock: number;
  blocks: number;
}

class AppendLane implements Lane {
  readonly units: number;
  readonly #fs: FileSystem;
  readonly #directory: Directory;
  readonly #appendBlocks: number;
  readonly #fileBlocks: number;
  unitsLeft: number;
  #current: LogFile | undefined;
  #previous: LogFile | undefined;

  constructor(
    fs: FileSystem,
    readonly task: Task,
    directory: Directory,
    values: { appends: number; size: number; fileSize: number },
  ) {
    this.#fs = fs;
    this.#directory = directory;
    const { blockSize } = fs.geometry;
    this.#appendBlocks = Math.ceil(values.size / blockSize);
    this.#fileBlocks = Math.max(this.#appendBlocks, Math.floor(values.fileSize / blockSize));
    this.unitsLeft = values.appends;
    this.units = values.appends;
  }

  step(sink: HandleSink): boolean {
    if (this.unitsLeft === 0) {
      return false;
    }
    const file = this.#current;
    if (file === undefined || file.blocks + this.#appendBlocks > this.#fileBlocks) {
      this.#rotate(sink);
      return true;
    }
    this.unitsLeft--;
    // write(): the time stamps first, then the pages; fsync() has them allocated and waits.
    this.#fs.touch(sink, this.task, file.inode);
    const at = file.dataBlock + file.blocks;
    this.#fs.writeAt(sink, this.task, file.inode, this.#appendBlocks, at);
    file.blocks += this.#appendBlocks;
    sink.fsync(file.inode, this.task.think(COSTS.systemCall));
    return true;
  }

  /** Starts a new file; the one before the last is removed, as a database recycles its logs. */
  #rotate(sink: HandleSink): void {
    const { task } = this;
    if (this.#previous !== undefined) {
      unlink(this.#fs, sink, task, this.#directory, this.#previous);
    }
    this.#previous = this.#current;
    const hash = task.hash();
    const inode = this.#fs.create(sink, task, this.#directory, hash, COSTS.systemCall);
    const group = this.#fs.groups.inodeGroup;
    const dataBlock = this.#fs.groups.allocateData(group, this.#fileBlocks);
    this.#current = { hash, inode, dataBlock, blocks: 0 };
  }
}

export const fsyncAppend = defineWorkload({
  name: "fsync-append",
  summary: "appends to log files with an fsync each, as databases do",
  doc: {
    idea:
      "Each thread appends `size` bytes to its log file and fsyncs; a full file is followed by " +
      "a new one, the one " +
      "before it is removed. Nearly every commit is a synchronous one of a few blocks.",
    source: "the write-ahead log of a database; fsync as ext4_sync_file and ext4_writepages do it",
    blocks:
      "time stamps: the inode; when fsync writes the pages: block bitmap, group descriptor, " +
      "inode; per file: a create, " +
      "an unlink with its eviction",
    seedVaries:
      "the hashes of the files' names, the jitter of thinking times, the flex groups of further " +
      "threads",
  },
  parameters: {
    appends: {
      kind: "integer",
      default: 20_000,
      min: 1,
      max: 1_000_000_000,
      unit: "appends per thread",
      help: "write and fsync so many times",
    },
    size: {
      kind: "size",
      default: 4096,
      min: 1,
      max: 16 * 2 ** 20,
      unit: "bytes",
      help: "bytes per append, rounded up to whole blocks",
    },
    fileSize: {
      kind: "size",
      default: 64 * 2 ** 20,
      min: 4096,
      max: 64 * 2 ** 20,
      unit: "bytes",
      help: "a file of this size is followed by a new one",
    },
    threads: threadsParameter,
    ...cpuParameters,
  },
  work: "appends",
  create(values, context) {
    const fs = new FileSystem(context.geometry);
    const groups = topGroups(context, context.threads ?? values.threads);
    const lanes = groups.map((group, thread) => {
      const task = new Task(context.seed, thread, values.cpuScale, values.thinkJitter);
      return new AppendLane(fs, task, fs.existingDirectory(group, NAME_LENGTH), values);
    });
    return laneWorkload("fsync-append", lanes);
  },
});
