import type { HandleSink } from "@jbdlab/core-wasm";
import { COSTS } from "./ext4/costs.js";
import type { Directory } from "./ext4/directory.js";
import type { FileSystem } from "./ext4/file-system.js";
import { Task } from "./ext4/task.js";

/** fs_mark's DEFAULT_SECS_PER_DIR: without -N it moves to the next subdirectory this often. */
const SECONDS_PER_DIRECTORY = 180;

/** What a thread needs of the workload's parameters. */
export interface FsMarkOptions {
  readonly files: number;
  readonly iterations: number;
  readonly size: number;
  readonly directories: number;
  readonly filesPerDirectory: number;
  readonly sync: number;
  readonly nameLength: number;
  readonly sharedTop: boolean;
  readonly cpuScale: number;
  readonly thinkJitter: number;
}

/** What -d names, and its subdirectories, made when first used. */
export interface Top {
  readonly directory: Directory;
  readonly subdirectories: (Directory | undefined)[];
}

/** A top directory in this block group. */
export function newTop(fs: FileSystem, options: FsMarkOptions, group: number): Top {
  const nameLength = options.directories === 0 ? options.nameLength : 2;
  return { directory: fs.existingDirectory(group, nameLength), subdirectories: [] };
}

/** fs_mark's sync modes as what happens after the loop of creates. */
const AFTER_LOOP = ["none", "none", "one", "reverse", "reverse", "forward", "forward"] as const;

const Phase = { Setup: 0, Create: 1, Sync: 2, Fsync: 3, Done: 4 } as const;
type Phase = (typeof Phase)[keyof typeof Phase];

/** One fs_mark child process per iteration: its loop of creates and what its sync mode adds. */
export class FsMarkThread {
  readonly task: Task;
  readonly #fs: FileSystem;
  readonly #options: FsMarkOptions;
  readonly #top: Top;
  readonly #blocks: number;
  readonly #first: boolean;
  /** Inodes of the iteration, where they are opened again to fsync them. */
  readonly #inodes: Uint32Array;
  #phase: Phase = Phase.Setup;
  #iteration = 0;
  #file = 0;
  #current = 0;
  #inDirectory = 0;
  #startSecond = 0;
  #opened = false;

  constructor(fs: FileSystem, values: FsMarkOptions, seed: number, thread: number, top: Top) {
    this.#fs = fs;
    this.#options = values;
    this.#first = thread === 0;
    this.task = new Task(seed, thread, values.cpuScale, values.thinkJitter);
    this.#top = top;
    this.#blocks = Math.ceil(values.size / fs.geometry.blockSize);
    this.#inodes = new Uint32Array(values.sync >= 2 ? values.files : 0);
  }

  get iterationsBegun(): number {
    return this.#phase === Phase.Setup || this.#phase === Phase.Done
      ? this.#iteration
      : this.#iteration + 1;
  }

  fill(sink: HandleSink): void {
    this.task.catchUp(sink.timeNs);
    if (this.#phase === Phase.Setup) this.#setup();
    do {
      this.#step(sink);
      // After an iteration the next fill comes when all threads have met, and knows the time.
    } while (!sink.full && this.#goesOn);
  }

  /** Threads in one directory take inodes and leaves in turn: one file each, not a batch. */
  get #goesOn(): boolean {
    const over = this.#phase === Phase.Setup || this.#phase === Phase.Done;
    return !over && !this.#options.sharedTop;
  }

  #step(sink: HandleSink): void {
    switch (this.#phase) {
      case Phase.Create:
        this.#create(sink);
        break;
      case Phase.Sync:
        sink.sync(this.task.think(COSTS.systemCall));
        this.#phase = Phase.Fsync;
        break;
      case Phase.Fsync:
        this.#fsync(sink);
        break;
      default:
        sink.end();
    }
  }

  /**
   * Each iteration is a new process; it starts in a directory chosen by the clock (fs_mark.c:
   * setup).
   */
  #setup(): void {
    const { directories } = this.#options;
    this.#current = directories === 0 ? 0 : this.task.second % directories;
    this.#inDirectory = 0;
    this.#startSecond = this.task.second;
    this.#file = 0;
    this.#phase = Phase.Create;
  }

  /** fs_mark.c: setup_file_name; makes a directory that is used for the first time. */
  #directory(sink: HandleSink): Directory {
    const { directories, filesPerDirectory, nameLength } = this.#options;
    if (directories === 0) {
      return this.#top.directory;
    }
    if (filesPerDirectory > 0) {
      if (this.#inDirectory >= filesPerDirectory) {
        this.#current = (this.#current + 1) % directories;
        this.#inDirectory = 0;
      }
      this.#inDirectory++;
    } else if (this.task.second - this.#startSecond > SECONDS_PER_DIRECTORY) {
      this.#current = (this.#current + 1) % directories;
      this.#startSecond = this.task.second;
    }
    let directory = this.#top.subdirectories[this.#current];
    if (directory === undefined) {
      const hash = this.task.hash();
      directory = this.#fs.mkdir(sink, this.task, this.#top.directory, hash, nameLength);
      this.#top.subdirectories[this.#current] = directory;
      this.task.pending += COSTS.freshDirectory;
    }
    return directory;
  }

  #create(sink: HandleSink): void {
    const { files, sync } = this.#options;
    const { task } = this;
    const directory = this.#directory(sink);
    const hash = task.hash();
    const inode = this.#fs.create(sink, task, directory, hash, COSTS.createThink);
    if (this.#blocks > 0) {
      this.#fs.write(sink, task, inode, this.#blocks);
    }
    if (this.#first && !this.#opened) {
      this.#opened = true;
      this.#fs.firstOpen(sink, task);
    }
    if (sync === 1) {
      sink.fsync(inode, task.think(COSTS.systemCall));
    } else if (sync >= 2) {
      this.#inodes[this.#file] = inode;
    }
    this.#file++;
    if (this.#file === files) {
      this.#file = 0;
      this.#phase = sync === 2 || sync === 4 || sync === 6 ? Phase.Sync : Phase.Fsync;
    }
  }

  #fsync(sink: HandleSink): void {
    const { files, sync } = this.#options;
    const order = AFTER_LOOP[sync]!;
    const count = order === "none" ? 0 : order === "one" ? 1 : files;
    if (this.#file < count) {
      const at = order === "reverse" ? files - 1 - this.#file : this.#file;
      // open, fsync, close
      sink.fsync(this.#inodes[at]!, this.task.think(3 * COSTS.systemCall));
      this.#file++;
      return;
    }
    this.#iteration++;
    sink.iteration(files);
    this.#phase = this.#iteration < this.#options.iterations ? Phase.Setup : Phase.Done;
  }
}
