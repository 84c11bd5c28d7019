import type { HandleSink, Workload, WorldConfig } from "@jbdlab/core-wasm";

/** kind (see Access) and block */
export type CrashAccess = readonly [kind: 0 | 1 | 2 | 3, block: number];

/** One thing a thread does; times in ns. */
export type CrashStep =
  | {
      readonly do: "handle";
      readonly credits: number;
      readonly thinkNs: number;
      readonly cpuNs: number;
      readonly inode: number;
      readonly sync: boolean;
      readonly accesses: readonly CrashAccess[];
      readonly data?: {
        readonly blocks: number;
        readonly dataBlock: number;
        readonly credits: number;
        readonly cpuNs: number;
        readonly accesses: readonly CrashAccess[];
      };
    }
  | { readonly do: "fsync"; readonly inode: number; readonly thinkNs: number }
  | { readonly do: "sync"; readonly thinkNs: number };

/** A small world written out: what the search makes, shrinks and replays. */
export interface CrashWorld {
  readonly format: "jbdlab-crash-1";
  /** Of the search that made it. */
  readonly seed: number;
  readonly config: WorldConfig;
  /** As --policy takes it. */
  readonly policy: string;
  /** Steps of each thread. */
  readonly threads: readonly (readonly CrashStep[])[];
}

/** The steps as a workload; start anew for each run. */
export function crashWorkload(threads: CrashWorld["threads"]): Workload {
  const next = threads.map(() => 0);
  return {
    name: "crash-world",
    threads: threads.length,
    fill(thread, sink) {
      const steps = threads[thread] ?? [];
      while (!sink.full) {
        const step = steps[next[thread] ?? 0];
        if (step === undefined) {
          sink.end();
          return;
        }
        next[thread] = (next[thread] ?? 0) + 1;
        put(sink, step);
      }
    },
  };
}

function put(sink: HandleSink, step: CrashStep): void {
  if (step.do === "fsync") {
    sink.fsync(step.inode, step.thinkNs);
    return;
  }
  if (step.do === "sync") {
    sink.sync(step.thinkNs);
    return;
  }
  sink.handle(step.credits, step.thinkNs, step.cpuNs, step.inode, step.sync ? 1 : 0);
  for (const [kind, block] of step.accesses) sink.access(kind, block);
  const { data } = step;
  if (data === undefined) return;
  sink.data(data.blocks, data.dataBlock, data.credits, data.cpuNs);
  for (const [kind, block] of data.accesses) sink.allocAccess(kind, block);
}
