import { drain } from "./drain.js";
import { logShare, transactionShare } from "./log-space.js";
import { Point } from "./points.js";
import { definePolicy } from "./policy.js";

interface ThresholdState {
  /** Space fell below `low` and has not been seen above `high` since. */
  draining: boolean;
}

/**
 * `bg25 | bg50 | bg75` of the reference kernel runs with low = high and waits; the 2019 RFC's
 * async_checkpoint.
 */
export const threshold = definePolicy({
  name: "threshold",
  summary: "below a threshold of free log the background worker checkpoints the oldest",
  idea: "Checkpoint ahead of need, in a worker, so that handles find space when they start.",
  source:
    "linux-ext4 2019-09-22 RFC async_checkpoint; modes bg25, bg50 and bg75 of the reference " +
    "kernel runs",
  trigger: "a handle starts with less than `low` of the log left; goes on until `high` is left",
  cost:
    "Home writes that a later transaction would have made unnecessary; with `waits`, forced " +
    "commits: more and smaller transactions. A flush per tail move, in the worker.",
  whoWaits:
    "With `waits`: whoever needs the checkpoint mutex while the worker holds it. Without: " +
    "nobody, but a buffer that is rejoined every transaction is never waited for and pins its " +
    "transaction.",
  whySafe:
    "The worker runs jbd2's own checkpoint, or writes home only buffers that no transaction " +
    "holds; the tail moves after a flush either way.",
  parameters: {
    low: {
      kind: "share",
      default: 0.5,
      min: 0.01,
      max: 0.95,
      unit: "of the log",
      help: "work starts when a handle starts with less space left",
    },
    high: {
      kind: "share",
      default: 0.5,
      min: 0.01,
      max: 0.95,
      unit: "of the log",
      help: "work goes on until this much is left; not below `low`",
    },
    waits: {
      kind: "boolean",
      default: true,
      help: "the worker may wait for commits while it holds the checkpoint mutex",
    },
    batch: {
      kind: "integer",
      default: 256,
      min: 1,
      max: 65536,
      unit: "buffers",
      help: "without `waits`: buffers written home per step",
    },
    minFreed: {
      kind: "share",
      default: 0.5,
      min: 0,
      max: 4,
      unit: "of a maximum transaction",
      help: "without `waits`: move the tail when that frees at least this much",
    },
  },
  decisionPoints: ["freeBelow", "commitFinished", "homeWriteCompleted"],
  needs: (params) =>
    params.waits ? ["freeBelow"] : ["freeBelow", "commitFinished", "homeWriteCompleted"],
  check: (params) =>
    params.high < params.low
      ? `parameter high: expected at least low (${params.low}), found ${params.high}`
      : undefined,
  state: (): ThresholdState => ({ draining: false }),
  start(view, answers, params) {
    answers.armFreeBelow(logShare(view, params.low));
  },
  decide(view, answers, params, state) {
    state.draining ||= view.point === Point.freeBelow;
    if (!state.draining) {
      return;
    }
    if (view.spaceLeft >= logShare(view, params.high)) {
      state.draining = false;
      answers.armFreeBelow(logShare(view, params.low));
    } else if (params.waits) {
      answers.checkpointOldest(logShare(view, params.high));
      // The core asks again once the worker has taken the command: with equal thresholds only if
      // space is still short, else at the next handle, to see whether `high` has been reached.
      const hysteresis = params.high > params.low;
      answers.armFreeBelow(hysteresis ? view.journalBlocks : logShare(view, params.low));
    } else {
      const minFreed = transactionShare(view, params.minFreed);
      drain(view, answers, { batch: params.batch, minFreed });
    }
  },
});
