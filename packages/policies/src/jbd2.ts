import { definePolicy } from "./policy.js";

/** Mainline: checkpointing by whoever runs out of log space. Declares nothing, is never asked. */
export const jbd2 = definePolicy({
  name: "jbd2",
  summary: "mainline: a handle out of log space checkpoints the oldest transaction itself",
  idea: "Do nothing until a handle finds less than one maximum transaction of log space.",
  source: "fs/jbd2/checkpoint.c: __jbd2_log_wait_for_space, jbd2_log_do_checkpoint",
  trigger: "a handle out of log space",
  cost: "No work ahead of need; home writes that the flusher makes anyway come for free.",
  whoWaits: "That handle, and every handle behind it in the queue for the checkpoint mutex.",
  whySafe: "It is the kernel's own order: home writes, flush, then the tail moves.",
  parameters: {},
  decisionPoints: [],
  decide() {},
});
