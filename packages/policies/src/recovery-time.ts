import { drain } from "./drain.js";
import { transactionShare, usedBlocks } from "./log-space.js";
import { definePolicy } from "./policy.js";

/**
 * Seconds that replaying `blocks` of log takes at most: they are read once (the scan and revoke
 * passes; the replay pass finds them cached) and each is written home.
 */
export function replaySeconds(blocks: number, readRate: number, writeRate: number): number {
  return blocks / readRate + blocks / writeRate;
}

export const recoveryTime = definePolicy({
  name: "recovery-time",
  summary: "write the oldest home while replay after a power cut would take too long",
  idea: "Bound what a user feels: the time until the file system is mounted again.",
  source:
    "Oracle FAST_START_MTTR_TARGET; WiredTiger checkpoints by log size; replay as in " +
    "fs/jbd2/recovery.c: do_one_pass",
  trigger: "estimated replay above `target` at a commit's end or a completed home write",
  cost: "Home writes ahead of need whenever the log in use is worth more than the target.",
  whoWaits: "Handles that want a buffer while it is being written home.",
  whySafe:
    "Only buffers that no transaction holds are written home, and the tail moves after a flush.",
  mapping:
    "Estimated replay: blocks between tail and head, read sequentially and written home. A block " +
    "that was logged several times is written once, so the estimate is an upper bound.",
  parameters: {
    target: {
      kind: "number",
      default: 1,
      min: 0.001,
      max: 3600,
      unit: "s",
      help: "longest replay wanted",
    },
    readRate: {
      kind: "number",
      default: 100_000,
      min: 1,
      max: 1e9,
      unit: "blocks/s",
      help: "sequential reads of the device (assumed: 400 MB/s)",
    },
    writeRate: {
      kind: "number",
      default: 10_000,
      min: 1,
      max: 1e9,
      unit: "blocks/s",
      help: "scattered writes of the device (assumed)",
    },
    batch: {
      kind: "integer",
      default: 256,
      min: 1,
      max: 65536,
      unit: "buffers",
      help: "buffers written home per step",
    },
    minFreed: {
      kind: "share",
      default: 0.25,
      min: 0,
      max: 4,
      unit: "of a maximum transaction",
      help: "move the tail when that frees at least this much",
    },
  },
  decisionPoints: ["commitFinished", "homeWriteCompleted"],
  decide(view, answers, params) {
    if (replaySeconds(usedBlocks(view), params.readRate, params.writeRate) > params.target) {
      const minFreed = transactionShare(view, params.minFreed);
      drain(view, answers, { batch: params.batch, minFreed });
    }
  },
});
