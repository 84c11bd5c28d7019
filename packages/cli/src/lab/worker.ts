import { Piscina } from "piscina";
import { isBadInput, oneLine } from "./errors.js";
import { type RunOptions, replayRun } from "./options.js";
import type { Outcome, Shared } from "./pool.js";
import { runWorld } from "./run.js";
import { resolveWorld } from "./world.js";

const { module, progress } = Piscina.workerData as Shared;
const signal = {
  get aborted() {
    return Atomics.load(progress, 0) !== 0;
  },
};

/** Runs one world in a worker thread; progress and abortion go through shared memory. */
export default async function work(job: { slot: number; options: RunOptions }): Promise<Outcome> {
  if (signal.aborted) return { kind: "aborted" };
  try {
    const result = runWorld(module, await resolveWorld(job.options), {
      signal,
      onProgress: (handles) => Atomics.store(progress, job.slot, handles),
    });
    return result === undefined ? { kind: "aborted" } : { kind: "done", result };
  } catch (error) {
    const failure = {
      message: oneLine(error),
      replay: replayRun(job.options),
      badInput: isBadInput(error),
    };
    return { kind: "failed", failure };
  }
}
