import { definePolicy } from "./policy.js";

/** The maintainer's classic answer. */
export const biggerJournal = definePolicy({
  name: "bigger-journal",
  summary: "mainline on a journal that is a few times as big",
  idea: "Log space runs out less often when there is more of it.",
  source: "tune2fs -J size=; the usual advice on linux-ext4",
  trigger: "never: it is mainline, on another journal",
  cost:
    "Disk space; up to a whole journal of pinned buffers in memory; replay time after a power " +
    "cut grows with the log in use.",
  whoWaits: "As in jbd2: a handle out of log space, but later and for longer.",
  whySafe: "It is mainline.",
  mapping: "A journal cannot grow while it is used, so the world is built with the bigger one.",
  parameters: {
    factor: {
      kind: "integer",
      default: 2,
      min: 2,
      max: 64,
      unit: "times the journal asked for",
      help: "size of the journal",
    },
  },
  decisionPoints: [],
  journalFactor: (params) => params.factor,
  decide() {},
});
