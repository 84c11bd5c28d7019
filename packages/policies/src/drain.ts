import type { PolicyAnswers, PolicyView } from "@jbdlab/core-wasm";
import { Point } from "./points.js";

export interface DrainOptions {
  /** Buffers to write home in this step, at least 1. */
  readonly batch: number;
  /** Blocks a tail move must free to be worth a flush. */
  readonly minFreed: number;
}

/** Checkpoint buffers looked at per background cleanup; bounds the time the list lock is held. */
export const DROP_BUDGET = 4096;

/**
 * One step of checkpointing in the background that never waits for a commit: drop what is clean,
 * move the tail if that pays for its flush, write the next of the oldest home. At a commit's end
 * kjournald does the first two; otherwise the worker, once it is done with the step before. Every
 * step that writes ends in `homeWriteCompleted`, every other in the next `commitFinished`: a policy
 * that asks for a step at both makes progress until there is nothing left to write.
 */
export function drain(view: PolicyView, answers: PolicyAnswers, options: DrainOptions): void {
  const idle = view.backgroundPending === 0;
  if (idle || view.point === Point.commitFinished) {
    answers.dropClean("skip", DROP_BUDGET);
    answers.moveTail(options.minFreed);
  }
  if (idle && view.dirtyBuffers > 0) {
    answers.writeHome(options.batch);
  }
}
