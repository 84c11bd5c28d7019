// Policies for the random worlds: each uses other answers at other decision points.
import {
  DecisionPoint,
  type PolicyAnswers,
  type PolicyDriver,
  type PolicySettings,
  type PolicyView,
} from "@jbdlab/core-wasm";

/** What mainline jbd2 does. */
export const MAINLINE: PolicySettings = {
  commitCleanup: "rule",
  cleanBeforeTail: false,
  closeShare: 1,
  tailShare: 1,
  infiniteLog: false,
  writeHomeAtCommitEnd: false,
};

type Decide = (view: PolicyView, answers: PolicyAnswers) => void;
type Make = (settings: PolicySettings) => PolicyDriver;

function policy(points: readonly DecisionPoint[], start: Decide, decide: Decide): Make {
  const decisionMask = points.reduce<number>((mask, point) => mask | point, 0);
  return (settings) => ({ settings, decisionMask, start, decide });
}
const nothing: Decide = () => undefined;

/** Fires when a quarter, half, ... of the log is left, and arms again once the work is done. */
function below(share: number, work: Decide): Make {
  const arm: Decide = (view, answers) =>
    answers.armFreeBelow(Math.floor(view.journalBlocks * share));
  return policy([DecisionPoint.FreeBelow], arm, (view, answers) => {
    work(view, answers);
    arm(view, answers);
  });
}

export const POLICIES = {
  mainline: undefined,
  eager: policy([DecisionPoint.CommitFinished], nothing, (view, answers) => {
    answers.dropClean("stop", 1_000_000);
    answers.moveTail(Math.floor(view.maxTransaction / 2));
  }),
  "eager-skip": policy([DecisionPoint.CommitFinished], nothing, (view, answers) => {
    answers.dropClean("skip", 40);
    if (view.tailGain > 0) answers.moveTail(1);
  }),
  "before-commit": policy([DecisionPoint.CommitStarting], nothing, (_view, answers) => {
    answers.dropClean("stop", 20);
  }),
  threshold: below(0.6, (_view, answers) => answers.checkpointOldest()),
  "threshold-looks-again": below(0.6, (view, answers) =>
    answers.checkpointOldest(Math.floor(0.5 * view.journalBlocks)),
  ),
  "threshold-writes": below(0.7, (view, answers) => {
    answers.writeHome(Math.max(1, view.oldestDirty));
    answers.dropClean("skip", 1000);
    answers.moveTail(1);
  }),
  "early-commit": below(0.6, (view, answers) => {
    if (view.oldestRejoined > 0) answers.requestCommit();
    answers.dropClean("stop", 100);
  }),
  "on-completion": policy([DecisionPoint.HomeWriteCompleted], nothing, (view, answers) => {
    if (view.backgroundPending > 2) return;
    answers.dropClean("skip", 64);
    if (view.tailGain * 4 > view.maxTransaction) answers.moveTail(1);
  }),
  ticking: policy(
    [DecisionPoint.Tick, DecisionPoint.MemoryPressure],
    (_view, answers) => answers.armTick(1_500_000),
    (view, answers) => {
      if (view.backgroundPending < 4) answers.writeHome(1 + (view.dirtyBuffers >> 2));
      if (view.runningAgeNs > 3_000_000) answers.requestCommit();
      answers.armTick(view.deviceQueue > 4 ? 4_000_000 : 1_100_000);
    },
  ),
  delay: policy(
    [DecisionPoint.CommitFinished],
    (_view, answers) => answers.delayHandles(20_000),
    (view, answers) =>
      answers.delayHandles(view.free * 2 < view.journalBlocks ? 300_000 : view.committing ? 7 : 0),
  ),
} as const;
export type PolicyName = keyof typeof POLICIES;
