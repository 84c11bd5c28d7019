import type { Measurements } from "@jbdlab/workloads";
import { formatNs } from "../units.js";
import type { ProfileFact } from "./profile.js";

/** What is known of a device: overrides of a base profile, and the facts behind them. */
export interface DeviceEstimate {
  /** "flush=8.1ms", "block=42us" ... */
  readonly overrides: readonly string[];
  readonly facts: readonly ProfileFact[];
}

/** The same measurements with the file that told them. */
export interface Source {
  readonly file: string;
  readonly measurements: Measurements;
}

const ns = (ms: number) => formatNs(Math.max(0, Math.round(ms * 1e4) * 100));

/** Below this spread of their sizes, commits tell no slope. */
const SPREAD = 0.2;

/**
 * Device parameters from what traces measured. Queueing only adds time, so the shortest of many is
 * the estimate of an idle device's:
 *
 * - superblock write with FUA: the shortest from its submission to the tail's move = one block's
 *   service + FUA + latency. Only the sum is known; the profile gives half of it to each of FUA and
 *   latency.
 * - flush: the shortest from a dropped transaction to the superblock write = flush + one latency,
 *   and a latency is at most the superblock write's time: the truth lies between the two.
 * - service of a block: the slope of commit time over log blocks where commits differ in size, with
 *   its 95 % interval; else at most (shortest commit - flush - superblock write) / log blocks.
 */
export function estimateDevice(sources: readonly Source[]): DeviceEstimate {
  const overrides: string[] = [];
  const facts: ProfileFact[] = [];
  const superblock = best(sources, (m) => m.superblockWriteMs);
  const flush = best(sources, (m) => m.deviceFlushMs);
  const writeMs = superblock?.estimate.value ?? 0;
  if (superblock === undefined) {
    for (const parameter of ["latency", "fua"]) facts.push(unknown(parameter, TAIL_MOVES));
  } else {
    const half = ns(writeMs / 2);
    const how = `half of the sum (${ns(writeMs)}): ${superblock.estimate.how}`;
    for (const parameter of ["latency", "fua"]) {
      overrides.push(`${parameter}=${half}`);
      const high = ns(writeMs);
      facts.push({ parameter, value: half, known: "bounded", high, how, file: superblock.file });
    }
  }
  if (flush === undefined) {
    facts.push(unknown("flush", TAIL_MOVES));
  } else {
    const { value, exact, how } = flush.estimate;
    const middle = exact ? ns(value - writeMs / 2) : ns(value);
    overrides.push(`flush=${middle}`);
    const low = exact ? { low: ns(value - writeMs) } : {};
    const known = exact ? "measured" : "bounded";
    facts.push({
      parameter: "flush",
      value: middle,
      known,
      ...low,
      high: ns(value),
      how,
      file: flush.file,
    });
  }
  const block = estimateBlock(sources, flush?.estimate.value ?? 0, writeMs);
  if (block.value !== undefined) overrides.push(`block=${block.value}`);
  facts.push(block);
  for (const parameter of ["parallelism", "queue", "request", "cache", "jitter"]) {
    facts.push({
      parameter,
      value: undefined,
      known: "assumed",
      how: "the base device's: jbd2's events do not show it",
    });
  }
  return { overrides, facts };
}

const TAIL_MOVES = "needs a trace in which a handle moves the tail";

const unknown = (parameter: string, how: string): ProfileFact => ({
  parameter,
  value: undefined,
  known: "unidentifiable",
  how,
});

type Told = NonNullable<Measurements["deviceFlushMs"]>;

/** The exact estimate of most samples, else the least upper bound. */
function best(
  sources: readonly Source[],
  of: (m: Measurements) => Told | undefined,
): { estimate: Told; file: string } | undefined {
  const all = sources.flatMap(({ file, measurements }) => {
    const estimate = of(measurements);
    return estimate === undefined ? [] : [{ estimate, file }];
  });
  const exact = all.filter(({ estimate }) => estimate.exact);
  const byCount = exact.sort((a, b) => b.estimate.count - a.estimate.count);
  return byCount[0] ?? all.sort((a, b) => a.estimate.value - b.estimate.value)[0];
}

function estimateBlock(sources: readonly Source[], flushMs: number, writeMs: number): ProfileFact {
  const parameter = "block";
  for (const { file, measurements } of sources) {
    const fit = measurements.commitFit;
    if (fit === undefined || fit.spread < SPREAD || fit.slope <= 2 * fit.slopeError) continue;
    const half = 1.96 * fit.slopeError;
    return {
      parameter,
      value: ns(fit.slope),
      known: "measured",
      low: ns(fit.slope - half),
      high: ns(fit.slope + half),
      how: `slope of commit time over log blocks, ${fit.count} commits`,
      file,
    };
  }
  const bounds = sources.flatMap(({ file, measurements: m }) => {
    const shortest = m.commitMs?.min;
    const logged = m.loggedPerTransaction?.p50;
    if (shortest === undefined || logged === undefined || logged < 1) return [];
    const left = (shortest - flushMs - writeMs) / logged;
    return left > 0 ? [{ left, file }] : [];
  });
  const [least] = bounds.sort((a, b) => a.left - b.left);
  if (least === undefined) return unknown(parameter, "needs a trace with commits of many blocks");
  const how = "at most: (shortest commit - flush - superblock write) / log blocks";
  const value = ns(least.left);
  return { parameter, value, known: "bounded", high: value, how, file: least.file };
}
