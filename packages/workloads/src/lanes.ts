import type { HandleSink } from "@jbdlab/core-wasm";
import { REAL_MACHINE_SCALE } from "./ext4/costs.js";
import type { Task } from "./ext4/task.js";
import type { GeneratedWorkload } from "./workload.js";

/** Parameters of every generator that models a thread's CPU time. */
export const cpuParameters = {
  cpuScale: {
    kind: "number",
    default: REAL_MACHINE_SCALE,
    min: 0,
    max: 100,
    unit: "of the reference machine's CPU time",
    help: "1 = the reference kernel runs (54-60 us per create), 0.23 = about 13 us",
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

export const threadsParameter = {
  kind: "integer",
  default: 1,
  min: 1,
  max: 256,
  unit: "threads",
  help: "threads that do the same, each in directories of its own",
} as const;

/** One thread of a workload that runs step by step. */
export interface Lane {
  readonly task: Task;
  /** Writes one record or a few; false when the thread's work is over and nothing was written. */
  step(sink: HandleSink): boolean;
  /** Units of work (files, appends ...) the thread does, and those it has still to begin. */
  readonly units: number;
  readonly unitsLeft: number;
}

/**
 * A workload of lanes: each runs to its end, where all wait for each other and the sample is taken.
 */
export function laneWorkload(name: string, lanes: readonly Lane[]): GeneratedWorkload {
  const over = lanes.map(() => false);
  return {
    name,
    threads: lanes.length,
    get unitsBegun() {
      return lanes.reduce((most, lane) => Math.max(most, lane.units - lane.unitsLeft), 0);
    },
    fill(thread, sink): void {
      const lane = lanes[thread]!;
      if (over[thread]) {
        sink.end();
        return;
      }
      lane.task.catchUp(sink.timeNs);
      do {
        if (!lane.step(sink)) {
          sink.iteration(lane.units);
          over[thread] = true;
          return;
        }
      } while (!sink.full);
    },
  };
}
