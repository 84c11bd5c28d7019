import type { Workload } from "@jbdlab/core-wasm";
import { WorkloadError } from "./error.js";
import { REAL_MACHINE_SCALE } from "./ext4/costs.js";
import { FileSystem } from "./ext4/file-system.js";
import { FsMarkThread } from "./fsmark-thread.js";
import { Random } from "./random.js";
import { defineWorkload, type WorkloadContext } from "./workload.js";

const parameters = {
  files: {
    kind: "integer",
    default: 15200,
    min: 1,
    max: 10_000_000,
    unit: "files per thread and iteration",
    help: "-n: files each thread makes in an iteration",
  },
  iterations: {
    kind: "integer",
    default: 8,
    min: 1,
    max: 100_000,
    unit: "iterations",
    help: "-L: samples; all threads wait for each other at the end of one, files stay",
  },
  size: {
    kind: "size",
    default: 4096,
    min: 0,
    max: 64 * 2 ** 20,
    unit: "bytes",
    help: "-s: size of each file",
  },
  directories: {
    kind: "integer",
    default: 64,
    min: 0,
    max: 65536,
    unit: "directories",
    help: "-D: subdirectories of each thread, 0 = none; made when first used",
  },
  filesPerDirectory: {
    kind: "integer",
    default: 256,
    min: 0,
    max: 10_000_000,
    unit: "files",
    help: "-N: files in a row in one subdirectory, 0 = the next one every 180 s",
  },
  threads: {
    kind: "integer",
    default: 1,
    min: 1,
    max: 256,
    unit: "threads",
    help: "-t: threads, each with a top directory of its own (-d)",
  },
  sync: {
    kind: "integer",
    default: 0,
    min: 0,
    max: 6,
    unit: "mode",
    help:
      "-S: 0 none, 1 fsync before close, 2 sync() and one fsync, 3 fsync of all in reverse " +
      "order, " +
      "4 sync() and 3, 5 fsync of all in order, 6 sync() and 5",
  },
  nameLength: {
    kind: "integer",
    default: 40,
    min: 1,
    max: 128,
    unit: "bytes",
    help: "-p: length of a file name",
  },
  cpuScale: {
    kind: "number",
    default: REAL_MACHINE_SCALE,
    min: 0,
    max: 100,
    unit: "of the reference machine's CPU time",
    help: "1 = the reference kernel runs (57 us per create), 0.23 = about 13 us",
  },
  thinkJitter: {
    kind: "integer",
    default: 30,
    min: 0,
    max: 500,
    unit: "per mille",
    help: "uniform jitter of the time between handles",
  },
} as const;

/**
 * Orlov spreads directories of the top level: each thread's top directory goes to a flex group of
 * its own.
 */
function topGroups(context: WorkloadContext, threads: number): number[] {
  const { geometry } = context;
  const flexes = Math.floor(geometry.groups / geometry.flexBgSize);
  const random = new Random(context.seed, 0);
  const first = Math.floor(geometry.firstGroup / geometry.flexBgSize);
  const order = Array.from({ length: flexes }, (_, i) => i).filter((i) => i !== first);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  order.unshift(first);
  return Array.from({ length: threads }, (_, i) => order[i % flexes]! * geometry.flexBgSize);
}

export const fsmark = defineWorkload({
  name: "fsmark",
  summary: "creates files in many directories, as mmtests runs fs_mark",
  doc: {
    idea:
      "Each thread makes `files` files per iteration, `filesPerDirectory` in a row in each of " +
      "its subdirectories, " +
      "and keeps them. The benchmark of the regression report.",
    source:
      "fs_mark 3.3 (fs_mark.c), ext4 of Linux 6.12; accesses and CPU times are those of the " +
      "reference kernel runs' " +
      "recording create-0b-16m.",
    blocks:
      "inode bitmap, group descriptor, inode-table block (16 inodes), directory leaf, " +
      "directory's inode, inode; a full " +
      "leaf splits: block bitmap, descriptor, new leaf, index root. Data: bitmap, descriptor, " +
      "inode, when it is written.",
    seedVaries:
      "the hashes of file names (hence which leaf fills when), the jitter of thinking times, " +
      "the fraction of a second " +
      "at which fs_mark starts (hence the first directory of each iteration), the flex groups " +
      "of further threads",
  },
  parameters,
  work: "files",
  create(values, context): Workload {
    const { geometry } = context;
    const threads = context.threads ?? values.threads;
    const inodes = threads * (values.files * values.iterations + values.directories + 1);
    if (inodes > geometry.inodes - 11) {
      throw new WorkloadError(
        "fsmark",
        `workload fsmark: ${inodes} files and directories do not fit a file system of ` +
          `${geometry.inodes} inodes`,
      );
    }
    const fs = new FileSystem(geometry);
    const lanes = topGroups(context, threads).map(
      (group, thread) => new FsMarkThread(fs, values, context.seed, thread, group),
    );
    return {
      name: "fsmark",
      threads,
      fill: (thread, sink) => lanes[thread]!.fill(sink),
    };
  },
});
