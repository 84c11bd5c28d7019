import { transactionShare } from "./log-space.js";
import { definePolicy } from "./policy.js";

/** `late` of the reference kernel runs. */
export const eagerCleanup = definePolicy({
  name: "eager-cleanup",
  summary: "at each commit's end drop what is clean and let kjournald move the tail",
  idea:
    "Drop what is already clean sooner: the cleanup at a commit's start still sees buffers " +
    "that this commit holds; at its end they have been refiled, so old transactions go and the " +
    "tail moves before a handle needs the space.",
  source: "the regression report of 590a809ff743; mode late of the reference kernel runs",
  trigger: "every commit's end, after the forget list is refiled and waiters are woken",
  cost: "One more scan per commit; a flush and a FUA write per tail move, in kjournald.",
  whoWaits: "Nobody; the next commit starts later by the scan and the flush.",
  whySafe:
    "Only clean buffers that no transaction holds are dropped, so their newest committed " +
    "version is at home; the core flushes the device before the new tail is durable.",
  parameters: {
    minFreed: {
      kind: "share",
      default: 0.5,
      min: 0,
      max: 4,
      unit: "of a maximum transaction",
      help: "move the tail only if that frees at least this much",
    },
    mode: {
      kind: "choice",
      default: "stop",
      choices: ["stop", "skip"],
      help: "stop at the first busy buffer, or skip it and go on",
    },
    budget: {
      kind: "integer",
      default: 1_048_576,
      min: 1,
      max: 2_147_483_647,
      unit: "buffers",
      help: "buffers looked at per commit; the default is more than any list holds",
    },
  },
  decisionPoints: ["commitFinished"],
  decide(view, answers, params) {
    answers.dropClean(params.mode, params.budget);
    answers.moveTail(transactionShare(view, params.minFreed));
  },
});
