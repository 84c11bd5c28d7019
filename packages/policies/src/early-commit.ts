import { logShare, transactionShare } from "./log-space.js";
import { definePolicy } from "./policy.js";

export const earlyCommit = definePolicy({
  name: "early-commit",
  summary: "ask for the commit that a handle out of space would have to wait for",
  idea:
    "Old transactions are pinned by buffers that a newer one holds, until that one's commit " +
    "ends. A handle out of space waits for that commit; ask for it while there is still space, " +
    "and nobody has to.",
  source: "the suspicion of the regression report of 590a809ff743, turned into a remedy",
  trigger:
    "less than `low` of the log is left, nothing is committing, the oldest checkpoint " +
    "transaction has rejoined buffers and the running one is worth a commit",
  cost:
    "Smaller transactions, hence more of them: a descriptor, a commit record, a flush and the " +
    "buffers that both halves change, per extra commit. No extra home writes.",
  whoWaits:
    "Handles that change a buffer whose log write is in flight (shadow), a little more often.",
  whySafe:
    "It asks for a commit that would come anyway and answers nothing else: what is logged, " +
    "written home and freed follows mainline's order; a transaction may end at any size.",
  parameters: {
    low: {
      kind: "share",
      default: 0.5,
      min: 0.01,
      max: 0.95,
      unit: "of the log",
      help: "commits are asked for while less space is left",
    },
    worth: {
      kind: "share",
      default: 0.25,
      min: 0,
      max: 1,
      unit: "of a maximum transaction",
      help: "the running transaction must hold this many blocks",
    },
    recheckMs: {
      kind: "number",
      default: 5,
      min: 0.1,
      max: 1000,
      unit: "ms",
      help: "while space is short and nothing is worth a commit, how often to look again",
    },
  },
  decisionPoints: ["freeBelow", "commitFinished", "tick"],
  start(view, answers, params) {
    answers.armFreeBelow(logShare(view, params.low));
  },
  decide(view, answers, params) {
    if (view.spaceLeft >= logShare(view, params.low)) {
      answers.armFreeBelow(logShare(view, params.low));
      return;
    }
    // The end of the commit asks again.
    if (view.committing) {
      return;
    }
    const worthIt = view.runningBlocks >= transactionShare(view, params.worth);
    if (worthIt && view.oldestRejoined > 0) {
      answers.requestCommit();
    } else {
      answers.armTick(params.recheckMs * 1e6);
    }
  },
});
