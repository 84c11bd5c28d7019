import { transactionShare } from "./log-space.js";
import { definePolicy } from "./policy.js";

export const eagerOnCompletion = definePolicy({
  name: "eager-on-completion",
  summary: "as home writes complete, drop what became clean",
  idea:
    "A buffer becomes clean when its home write completes, not when a commit happens to look. " +
    "Drop it then; when enough is gone, let the worker move the tail.",
  source: "a field request; lwext4 issue 16 does it per transaction",
  trigger: "each batch of completed home writes, whoever sent them",
  cost:
    "A scan of at most `budget` buffers per batch, in the worker; a flush and a FUA write of the " +
    "superblock per tail move.",
  whoWaits:
    "Nobody, except a handle that needs the checkpoint mutex while the worker moves the tail.",
  whySafe:
    "Only clean buffers that no transaction holds are dropped: their newest committed version is " +
    "at home. The worker flushes the device before the new tail is durable.",
  parameters: {
    budget: {
      kind: "integer",
      default: 256,
      min: 1,
      max: 1_048_576,
      unit: "buffers",
      help: "buffers looked at per batch",
    },
    minFreed: {
      kind: "share",
      default: 0.5,
      min: 0,
      max: 4,
      unit: "of a maximum transaction",
      help: "move the tail only if that frees at least this much",
    },
  },
  decisionPoints: ["homeWriteCompleted"],
  decide(view, answers, params) {
    // The commands of the batch before still wait: they will see what this batch made clean.
    if (view.backgroundPending > 0 || view.checkpointTransactions === 0) {
      return;
    }
    answers.dropClean("skip", params.budget);
    const minFreed = transactionShare(view, params.minFreed);
    if (view.tailGain >= minFreed) {
      answers.moveTail(minFreed);
    }
  },
});
