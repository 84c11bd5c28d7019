import { DROP_BUDGET } from "./drain.js";
import { transactionShare, usedBlocks, waitLimit } from "./log-space.js";
import { definePolicy } from "./policy.js";

/** log0log.h: LOG_POOL_PREFLUSH_RATIO_ASYNC and _SYNC, as shares of the usable log. */
const ASYNC_SHARE = 7 / 8;
const SYNC_SHARE = 15 / 16;

/**
 * buf0flu.cc, get_pct_for_lsn: percent of the I/O capacity to spend on flushing at this age of the
 * log. Above 100 it asks for more than the capacity; the caller caps it at the maximum.
 */
export function flushPercent(age: number, limit: number, maxOverCapacity: number): number {
  const factor = (100 * age) / limit;
  return (maxOverCapacity * factor * Math.sqrt(factor)) / 7.5;
}

export const adaptive = definePolicy({
  name: "adaptive",
  summary: "write home at a rate that grows with the age of the log, as InnoDB does",
  idea:
    "Flush slowly while the log is young and ever faster as it ages, so that it never fills up " +
    "and never flushes in bursts.",
  source:
    "MySQL 8.0 storage/innobase/buf/buf0flu.cc: Adaptive_flush::get_pct_for_lsn; " +
    "innodb_io_capacity, innodb_io_capacity_max, innodb_adaptive_flushing_lwm",
  trigger:
    "every interval while the log's age is above `lowWater`: (ioMax/io)(f sqrt f)/7.5 percent " +
    "of the capacity with f = 100 age/limit; all of ioMax from 7/8 on, a waiting checkpoint " +
    "from 15/16",
  cost: "Home writes ahead of need, at all times; more of them the fuller the log.",
  whoWaits:
    "Nobody below 15/16; above, whoever needs the checkpoint mutex while the worker checkpoints.",
  whySafe:
    "Only buffers that no transaction holds are written home, or jbd2's own checkpoint is run; " +
    "the tail moves after a flush.",
  mapping:
    "Age of the log: blocks between tail and head. Its limit (log_free_check): the log in use at " +
    "which handles begin to wait. Threads that wait at the sync point: handles out of space do " +
    "that in jbd2 anyway, so the worker checkpoints, with waits. The average over 30 loops is " +
    "left out and the loop is faster: a log here fills in seconds, InnoDB's in minutes.",
  parameters: {
    io: {
      kind: "integer",
      default: 2000,
      min: 1,
      max: 10_000_000,
      unit: "blocks/s",
      help: "I/O capacity (innodb_io_capacity)",
    },
    ioMax: {
      kind: "integer",
      default: 20_000,
      min: 1,
      max: 10_000_000,
      unit: "blocks/s",
      help: "most that may ever be asked of the device (innodb_io_capacity_max)",
    },
    lowWater: {
      kind: "share",
      default: 0.1,
      min: 0,
      max: 0.7,
      unit: "of the limit",
      help: "no flushing for age below this (innodb_adaptive_flushing_lwm)",
    },
    intervalMs: {
      kind: "number",
      default: 50,
      min: 0.1,
      max: 10_000,
      unit: "ms",
      help: "time between two looks (InnoDB: 1 s)",
    },
    minFreed: {
      kind: "share",
      default: 0.5,
      min: 0,
      max: 4,
      unit: "of a maximum transaction",
      help: "move the tail when that frees at least this much",
    },
  },
  decisionPoints: ["tick"],
  check: (params) =>
    params.ioMax < params.io
      ? `parameter ioMax: expected at least io (${params.io}), found ${params.ioMax}`
      : undefined,
  start(_view, answers, params) {
    answers.armTick(params.intervalMs * 1e6);
  },
  decide(view, answers, params) {
    answers.armTick(params.intervalMs * 1e6);
    const limit = waitLimit(view);
    const age = usedBlocks(view);
    if (age < params.lowWater * limit || view.backgroundPending > 0) {
      return;
    }
    answers.dropClean("skip", DROP_BUDGET);
    answers.moveTail(transactionShare(view, params.minFreed));
    if (age >= SYNC_SHARE * limit) {
      answers.checkpointOldest();
      return;
    }
    const asyncLimit = ASYNC_SHARE * limit;
    const percent = flushPercent(age, asyncLimit, params.ioMax / params.io);
    const perSecond = age >= asyncLimit ? params.ioMax : (params.io * percent) / 100;
    const buffers = Math.floor((Math.min(perSecond, params.ioMax) * params.intervalMs) / 1000);
    if (buffers > 0 && view.dirtyBuffers > 0) {
      answers.writeHome(buffers);
    }
  },
});
