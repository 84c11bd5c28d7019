import { drain } from "./drain.js";
import { MAX_DELAY_NS } from "./guarded-answers.js";
import { transactionShare, usedBlocks, waitLimit } from "./log-space.js";
import { definePolicy } from "./policy.js";

/** zfs_vdev_async_write_min_active over _max_active: the ramp of background writes begins here. */
const RAMP_FLOOR = 0.2;

/**
 * dmu_tx.c, dmu_tx_delay: the time a transaction waits with `dirty` between `min` and `max`, ns. At
 * `max` and above it waits for space instead.
 */
export function delayNs(scaleNs: number, dirty: number, min: number, max: number): number {
  if (dirty <= min || dirty >= max) {
    return 0;
  }
  return Math.min(MAX_DELAY_NS, Math.floor((scaleNs * (dirty - min)) / (max - dirty)));
}

export const delay = definePolicy({
  name: "delay",
  summary: "many small waits instead of one long one, as OpenZFS does",
  idea:
    "Slow handles down smoothly as the log fills, so that they meet the rate at which it is " +
    "emptied instead of running into its end.",
  source:
    "OpenZFS module/zfs/dmu_tx.c: dmu_tx_delay; zfs_delay_min_dirty_percent, zfs_delay_scale, " +
    "zfs_vdev_async_write_active_min_dirty_percent and _max_",
  trigger:
    "above `min` of the usable log: scale (x-min)/(max-x) per handle, at most 100 ms; above " +
    "`writeFrom` the worker writes home, more at a time up to `min`",
  cost: "Throughput, by intention; home writes ahead of need.",
  whoWaits: "Every handle, a little, in its own time.",
  whySafe:
    "A delay holds no lock and changes no order; only buffers that no transaction holds are " +
    "written home, and the tail moves after a flush.",
  mapping:
    "Dirty data: the log in use, its maximum the use at which handles begin to wait. ZFS spaces " +
    "the wake-ups of all threads, so its delay divides the rate of all; here every thread waits " +
    "its own delay, so with t threads the rate is t times as high. The ramp of concurrent writes " +
    "per device becomes a ramp of buffers per step.",
  parameters: {
    min: {
      kind: "share",
      default: 0.6,
      min: 0.05,
      max: 0.95,
      unit: "of the usable log",
      help: "delays begin here (zfs_delay_min_dirty_percent)",
    },
    scaleUs: {
      kind: "number",
      default: 500,
      min: 0,
      max: 100_000,
      unit: "us",
      help: "delay half-way between min and full (zfs_delay_scale)",
    },
    writeFrom: {
      kind: "share",
      default: 0.3,
      min: 0,
      max: 1,
      unit: "of the usable log",
      help: "the worker writes home from here on",
    },
    batch: {
      kind: "integer",
      default: 256,
      min: 1,
      max: 65536,
      unit: "buffers",
      help: "written home per step at `min` and above; a fifth of it at `writeFrom`",
    },
    minFreed: {
      kind: "share",
      default: 0.5,
      min: 0,
      max: 4,
      unit: "of a maximum transaction",
      help: "move the tail when that frees at least this much",
    },
    recheckMs: {
      kind: "number",
      default: 1,
      min: 1,
      max: 1000,
      unit: "ms",
      help: "while handles are delayed, how often to look again",
    },
  },
  decisionPoints: ["commitStarting", "commitFinished", "homeWriteCompleted", "tick"],
  state: () => ({ delayNs: 0 }),
  decide(view, answers, params, state) {
    const max = waitLimit(view);
    const used = usedBlocks(view);
    const wanted = delayNs(params.scaleUs * 1000, used, params.min * max, max);
    if (wanted !== state.delayNs) {
      state.delayNs = wanted;
      answers.delayHandles(wanted);
    }
    if (wanted > 0) {
      // The tail can move without a decision: nobody may go on waiting for what is over.
      answers.armTick(params.recheckMs * 1e6);
    }
    const share = used / max;
    if (share >= params.writeFrom) {
      const span = Math.max(params.min - params.writeFrom, 0.01);
      const ramp = Math.min(1, RAMP_FLOOR + ((1 - RAMP_FLOOR) * (share - params.writeFrom)) / span);
      const batch = Math.max(1, Math.floor(params.batch * ramp));
      drain(view, answers, { batch, minFreed: transactionShare(view, params.minFreed) });
    }
  },
});
