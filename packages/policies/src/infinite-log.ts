import { definePolicy } from "./policy.js";

/** The ceiling of every chart: no handle ever waits for log space. No file system can ship it. */
export const infiniteLog = definePolicy({
  name: "infinite-log",
  summary: "upper bound: log space never runs out (not a policy one can ship)",
  idea: "What throughput would be if handles never waited for log space: the ceiling.",
  source: "a bound, as caches are compared with Belady's",
  trigger: "never",
  cost: "Unbounded log and unbounded recovery time.",
  whoWaits: "Nobody for log space; commits, shadow buffers and fsync still cost what they cost.",
  whySafe: "The tail never has to move: everything that was committed stays in the log.",
  parameters: {},
  decisionPoints: [],
  settings: () => ({ infiniteLog: true }),
  decide() {},
});
