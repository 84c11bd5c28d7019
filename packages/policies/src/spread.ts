import { DROP_BUDGET } from "./drain.js";
import { usedBlocks, waitLimit } from "./log-space.js";
import { definePolicy } from "./policy.js";

interface SpreadState {
  active: boolean;
  /** Start of the checkpoint under way or made last: PostgreSQL's redo pointer. */
  startNs: number;
  /** Blocks logged since then. */
  logged: number;
  /** Log in use and about to be, when last looked at. */
  position: number;
  /** Buffers that the checkpoint has to write, and how many it has asked for. */
  total: number;
  issued: number;
}

/**
 * xlog.c, CalculateCheckpointSegments: a checkpoint begins when this much of `size` was logged, so
 * that the next one ends, spread out, before `size` is full.
 */
export function checkpointDistance(size: number, target: number): number {
  return Math.max(1, Math.floor(size / (1 + target)));
}

/**
 * checkpointer.c, IsCheckpointOnSchedule, solved for progress: the part of the writes that must be
 * done by now. `elapsed` is the larger of the shares of log and time that have gone by.
 */
export function scheduledShare(elapsed: number, target: number): number {
  return Math.min(1, elapsed / target);
}

export const spread = definePolicy({
  name: "spread",
  summary: "checkpoint at regular distances and spread the writes, as PostgreSQL does",
  idea:
    "Begin a checkpoint early enough that its writes can be spread evenly over 90 % of the time " +
    "until the next one is due: no bursts, and the log is free when it is needed.",
  source:
    "PostgreSQL: CalculateCheckpointSegments, IsCheckpointOnSchedule, CheckpointWriteDelay; " +
    "max_wal_size, checkpoint_timeout, checkpoint_completion_target",
  trigger: "size/(1+target) blocks logged, or the timeout, since the last checkpoint began",
  cost: "Every buffer on the lists goes home once per checkpoint, dirty again soon or not.",
  whoWaits: "Handles that want a buffer while it is being written home.",
  whySafe:
    "Only buffers that no transaction holds are written home; the tail moves after a flush, and " +
    "only past what is at home, whatever the checkpoint meant to write.",
  mapping:
    "max_wal_size: the log in use at which handles begin to wait, as in PostgreSQL nobody " +
    "waits below it. WAL since the redo pointer: growth of the log in use and the running " +
    "transaction, looked at while nothing commits. Buffers to write: those on the checkpoint " +
    "lists when it begins; one that a transaction holds is passed over, not written twice. " +
    "Naps are shorter than 100 ms: a log here fills in seconds.",
  parameters: {
    target: {
      kind: "share",
      default: 0.9,
      min: 0.01,
      max: 1,
      unit: "of the distance between checkpoints",
      help: "how far to spread the writes (checkpoint_completion_target)",
    },
    timeout: {
      kind: "number",
      default: 300,
      min: 0.01,
      max: 86_400,
      unit: "s",
      help: "longest time between two checkpoints (checkpoint_timeout)",
    },
    napMs: {
      kind: "number",
      default: 10,
      min: 0.1,
      max: 10_000,
      unit: "ms",
      help: "pause between two bits of writing (PostgreSQL: 100 ms)",
    },
  },
  decisionPoints: ["commitStarting", "commitFinished", "tick"],
  state: (): SpreadState => ({
    active: false,
    startNs: 0,
    logged: 0,
    position: 0,
    total: 0,
    issued: 0,
  }),
  decide(view, answers, params, state) {
    if (!view.committing) {
      const position = usedBlocks(view) + view.runningBlocks;
      state.logged += Math.max(0, position - state.position);
      state.position = position;
    }
    const distance = checkpointDistance(waitLimit(view), params.target);
    const elapsed = () =>
      Math.max(state.logged / distance, (view.timeNs - state.startNs) / (params.timeout * 1e9));
    if (!state.active) {
      if (elapsed() < 1 || view.checkpointBlocks === 0) {
        return;
      }
      state.active = true;
      state.startNs = view.timeNs;
      state.logged = 0;
      state.total = view.checkpointBlocks;
      state.issued = 0;
    }
    if (view.backgroundPending === 0) {
      if (state.issued >= state.total) {
        answers.dropClean("skip", Math.max(DROP_BUDGET, state.total));
        answers.moveTail(1);
        state.active = false;
        return;
      }
      const due = Math.ceil(state.total * scheduledShare(elapsed(), params.target)) - state.issued;
      if (due > 0) {
        answers.writeHome(due);
        state.issued += due;
      }
    }
    answers.armTick(params.napMs * 1e6);
  },
});
