import type { RunResult } from "../result.js";
import { significant } from "../statistics.js";
import type { FsyncRun, KernelRun } from "./reference.js";

/** Figures of one run or the means of several seeds. A null is a figure that nobody measured. */
export type Figures = Readonly<Record<string, number | null>>;

const ratio = (part: number, whole: number) => (whole === 0 ? 0 : part / whole);
const perSecond = (ms: number | undefined) => (ms === undefined ? null : ms / 1e3);

/** What a run without fsync measured; names and units as in `simulatedFigures`. */
export function measuredFigures(run: KernelRun): Figures {
  const { optional: o } = run;
  return {
    hmean: run.hmean,
    firstIteration: run.firstIteration,
    seconds: run.seconds,
    commits: run.commits,
    handlesPerTransaction: ratio(run.handles, run.commits),
    blocksPerCommit: o.buffers === undefined ? null : ratio(o.buffers, run.commits),
    forcedToClose: o.forced ?? null,
    rejoinedAtCommit: o.rejoined ?? null,
    checkpointWrites: o.cp_written ?? null,
    commitWaits: run.commitWaits,
    commitWaitSeconds: perSecond(o.commit_wait_ms),
    tailMoves: run.tailMoves,
    tailMovesByHandle: o.tail_by_handle ?? null,
    tailMovesByWorker: o.tail_by_worker ?? null,
    tailMovesByKjournald: o.tail_by_kjournald ?? null,
    spaceWaits: o.space_n ?? null,
    spaceSeconds: run.spaceMs / 1e3,
    spaceShare: ratio(run.spaceMs / 10, run.seconds),
    tailFlushSeconds: perSecond(o.tail_ms),
    shadowSeconds: perSecond(o.shadow_ms),
    lockedSeconds: perSecond(o.locked_ms),
    lockedBufferSeconds: perSecond(o.lock_buffer_ms),
    longestWaitMs: o.space_max_ms ?? null,
  };
}

/** The same figures of a simulated run. */
export function simulatedFigures(result: RunResult): Figures {
  const { stallSeconds: stall, tailMovesBy, spaceWaits, commitWaits } = result;
  return {
    hmean: result.filesPerSecond ?? 0,
    firstIteration: result.iterations[0]?.filesPerSecond ?? 0,
    seconds: result.simulatedSeconds,
    commits: result.commits,
    handlesPerTransaction: result.handlesPerTransaction,
    blocksPerCommit: result.blocksPerCommit,
    forcedToClose: result.forcedToClose,
    rejoinedAtCommit: result.rejoinedAtCommit,
    checkpointWrites: result.checkpointWrites,
    commitWaits: commitWaits.count,
    commitWaitSeconds: commitWaits.seconds,
    tailMoves: Object.values(tailMovesBy).reduce((a, b) => a + b, 0),
    tailMovesByHandle: tailMovesBy.handle,
    tailMovesByWorker: tailMovesBy.worker,
    tailMovesByKjournald: tailMovesBy.kjournald,
    spaceWaits: spaceWaits.count,
    spaceSeconds: spaceWaits.seconds,
    spaceShare: ratio(100 * spaceWaits.seconds, result.simulatedSeconds),
    tailFlushSeconds: stall["log-space/tail-flush"],
    shadowSeconds: stall.shadow,
    lockedSeconds: stall["transaction-locked"],
    lockedBufferSeconds: stall["locked-buffer"],
    longestWaitMs: spaceWaits.maxMs,
  };
}

/** What a run in fsync measured; names and units as in `simulatedFsync`. */
export function measuredFsync(run: FsyncRun): Figures {
  const files = run.threads * run.files * run.iterations;
  return {
    hmean: run.hmean,
    seconds: run.seconds,
    commits: run.commits,
    handlesPerCommit: run.handles / run.commits,
    filesPerCommit: files / run.commits,
  };
}

/** The same figures of a simulated run. */
export function simulatedFsync(result: RunResult): Figures {
  return {
    hmean: result.filesPerSecond ?? 0,
    seconds: result.simulatedSeconds,
    commits: result.commits,
    handlesPerCommit: result.handlesPerTransaction,
    filesPerCommit: ratio(result.files, result.commits),
  };
}

/** Mean of each figure over the seeds. */
export function meanFigures(seeds: readonly Figures[]): Figures {
  const names = Object.keys(seeds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = seeds.map((each) => each[name] ?? 0);
      return [name, significant(values.reduce((a, b) => a + b, 0) / values.length)];
    }),
  );
}

/** Least and greatest value of each figure over the seeds. */
export type Ranges = Readonly<Record<string, readonly [number, number]>>;

export function rangesOf(seeds: readonly Figures[]): Ranges {
  const names = Object.keys(seeds[0] ?? {});
  return Object.fromEntries(
    names.map((name) => {
      const values = seeds.map((each) => each[name] ?? 0);
      return [name, [significant(Math.min(...values)), significant(Math.max(...values))]];
    }),
  );
}

/** How far `value` is from `base`, in percent. */
export const percentOff = (value: number, base: number) => significant(100 * (value / base - 1), 6);
