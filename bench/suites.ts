import type { HandleSink, Workload, WorldConfig } from "@jbdlab/core-wasm";
import { Access, loadCore, Simulation } from "@jbdlab/core-wasm";
import {
  Geometry as Ext4Geometry,
  type Geometry,
  measureWork,
  parseWorkload,
} from "@jbdlab/workloads";
import { resolveWorld, run } from "jbdlab";

/** A benchmark: does its work once per call and says how many handles that was. */
export interface Task {
  readonly name: string;
  work(): Promise<number> | number;
}

export const REFERENCE = "reference";

/**
 * Frozen: every other figure is relative to this one, so changing it voids every baseline. Walks a
 * shuffled linked list in a typed array, as memory-bound as the core is.
 */
function referenceTask(): Task {
  const nodes = 1 << 16;
  const next = new Int32Array(nodes);
  let at = 0;
  for (let i = 0; i < nodes; i++) {
    const to = (at + 40503) & (nodes - 1);
    next[at] = to;
    at = to;
  }
  return {
    name: REFERENCE,
    work() {
      let node = 0;
      for (let i = 0; i < 4_000_000; i++) node = next[node] ?? 0;
      return node < 0 ? 0 : 4_000_000;
    },
  };
}

/**
 * Handles of eight accesses to five blocks, written as cheaply as can be: what is timed is the
 * core.
 */
function plainWorkload(handles: number): Workload {
  let done = 0;
  return {
    name: "plain",
    threads: 1,
    fill(_thread: number, sink: HandleSink) {
      while (!sink.full && done < handles) {
        sink.handle(40, 1000, 4000, 1 + done, 0);
        const table = 100_000 + (done >> 4);
        const blocks = [100, 101, table, 5000 + (done % 640), 102, table, 101, table];
        for (const block of blocks) sink.access(Access.Write, block);
        done++;
      }
      if (done >= handles) sink.end();
    },
  };
}

/** The tasks; `scale` 1 is for measuring, less for trying out. */
export async function tasks(scale: number): Promise<Task[]> {
  const module = await loadCore();
  const config: WorldConfig = (await resolveWorld({ journal: "16MiB" })).config;
  const handles = Math.round(100_000 * scale);
  return [
    referenceTask(),
    {
      name: "core",
      work: () => Simulation.create(module, config).run(plainWorkload(handles)).handles,
    },
    {
      name: "generator",
      work: () => {
        const geometry: Geometry = new Ext4Geometry();
        const text = `fsmark,iterations=1,files=${handles}`;
        const context = { seed: 1, geometry, journalBlocks: 4096 };
        return measureWork(parseWorkload(text).create(context), 1365).handles;
      },
    },
    {
      name: "end to end",
      work: async () => {
        const workload = `fsmark,iterations=1,files=${handles}`;
        return (await run({ workload, journal: "16MiB" })).handles;
      },
    },
  ];
}
