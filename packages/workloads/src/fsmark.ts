import { WorkloadError } from "./error.js";
import { FileSystem } from "./ext4/file-system.js";
import { FsMarkThread, newTop } from "./fsmark-thread.js";
import { cpuParameters } from "./lanes.js";
import { topGroups } from "./top-groups.js";
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
  sharedTop: {
    kind: "boolean",
    default: false,
    help: "all threads work in the same top directory (one -d) and its subdirectories",
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
  ...cpuParameters,
} as const;

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
  work: "iterations",
  mostWork: (values, context) => Math.min(parameters.iterations.max, fitting(values, context)),
  create(values, context) {
    const { geometry } = context;
    const most = fitting(values, context);
    if (values.iterations > most) {
      throw new WorkloadError(
        "fsmark",
        `workload fsmark: a file system of ${geometry.inodes} inodes holds ${most} iterations, ` +
          `found ${values.iterations}`,
      );
    }
    const fs = new FileSystem(geometry);
    const threads = context.threads ?? values.threads;
    const groups = topGroups(context, threads);
    const top = (thread: number) => newTop(fs, values, groups[thread] ?? 0);
    const shared = values.sharedTop ? top(0) : undefined;
    const lanes = groups.map(
      (_, thread) => new FsMarkThread(fs, values, context.seed, thread, shared ?? top(thread)),
    );
    return {
      name: "fsmark",
      threads,
      get unitsBegun() {
        return lanes.reduce((most, lane) => Math.max(most, lane.iterationsBegun), 0);
      },
      fill: (thread, sink) => lanes[thread]!.fill(sink),
    };
  },
});

/** Iterations for which the file system has inodes. */
function fitting(
  values: { files: number; directories: number; threads: number },
  context: WorkloadContext,
): number {
  const perThread = (context.geometry.inodes - 11) / (context.threads ?? values.threads);
  return Math.floor((perThread - values.directories - 1) / values.files);
}
