import { drain } from "./drain.js";
import { logShare } from "./log-space.js";
import { Point } from "./points.js";
import { definePolicy } from "./policy.js";

/** xfsaild_push: pauses after reaching the target, when nearly all was stuck, and otherwise. */
const IDLE_NS = 50e6;
const STUCK_NS = 20e6;
const BUSY_NS = 10e6;

interface AilState {
  pushing: boolean;
  /** The pass before met pinned items: force the log at the beginning of this one. */
  forceLog: boolean;
}

export const ailPush = definePolicy({
  name: "ail-push",
  summary: "push the oldest home until a quarter of the log is free, as XFS does",
  idea:
    "A thread walks the oldest items and writes them home until a quarter of the log is free. " +
    "Pinned items are passed over; the log is forced, without waiting, before the next pass.",
  source: "fs/xfs/xfs_trans_ail.c: xfsaild_push, xfs_ail_calc_push_target (Linux 6.12)",
  trigger: "less than `free` of the log is left; passes 10, 20 or 50 ms apart until it is free",
  cost: "Home writes ahead of need; commits forced early while the oldest transaction is pinned.",
  whoWaits: "Handles that want a buffer while it is being written home.",
  whySafe:
    "Only buffers that no transaction holds are written home; the tail moves after a flush. A " +
    "log force is a commit that would have come anyway.",
  mapping:
    "LSN order of the AIL: the order of checkpoint transactions. Pinned item: a rejoined " +
    "buffer of the oldest transaction. Log force: a commit request. Grant waiters that push: " +
    "handles out of space, which checkpoint themselves in jbd2 either way. Removing a clean " +
    "item moves XFS's tail in memory for free; here the worker moves it, with a flush, when " +
    "that frees `minFreed`.",
  parameters: {
    free: {
      kind: "share",
      default: 0.25,
      min: 0.01,
      max: 0.95,
      unit: "of the log",
      help: "how much of the log is kept free",
    },
    batch: {
      kind: "integer",
      default: 1000,
      min: 1,
      max: 65536,
      unit: "buffers",
      help: "buffers written home per pass",
    },
    minFreed: {
      kind: "integer",
      default: 128,
      min: 1,
      max: 1_048_576,
      unit: "blocks",
      help: "move the tail when that frees at least this much",
    },
  },
  decisionPoints: ["freeBelow", "tick"],
  state: (): AilState => ({ pushing: false, forceLog: false }),
  start(view, answers, params) {
    answers.armFreeBelow(logShare(view, params.free));
  },
  decide(view, answers, params, state) {
    if (view.point === Point.freeBelow && state.pushing) {
      return;
    }
    state.pushing = view.spaceLeft < logShare(view, params.free);
    if (!state.pushing) {
      state.forceLog = false;
      answers.armFreeBelow(logShare(view, params.free));
      return;
    }
    if (state.forceLog && view.runningBlocks > 0 && !view.committing) {
      answers.requestCommit();
    }
    drain(view, answers, params);
    state.forceLog = view.oldestRejoined > 0;
    const stuck = view.oldestRejoined * 100 > view.oldestBlocks * 90;
    answers.armTick(view.oldestBlocks === 0 ? IDLE_NS : stuck ? STUCK_NS : BUSY_NS);
  },
});
