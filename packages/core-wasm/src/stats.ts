import {
  type LossWindow,
  type RunStats,
  STALL_CLASSES,
  type StallClass,
  type Verdict,
} from "./results.js";
import { type Core, MAX_SAMPLES, MAX_WINDOWS, SAMPLE_DOUBLES, WINDOW_DOUBLES } from "./wasm.js";

const HISTOGRAM_BUCKETS = 256;
const VIOLATIONS = [
  "",
  "home write of a version whose commit is not durable",
  "log block reused that the durable tail still needs",
  "commit record durable before its log blocks",
];

/** Everything the core counted, in the public shape. */
export function readStats(core: Core, complete: boolean, aborted: boolean): RunStats {
  const stat = (name: string, offset = 0) => core.stat(`ST_${name}`, offset);
  const seconds = (name: string, offset = 0) => stat(name, offset) / 1e9;
  const hex = (n: number) => (n >>> 0).toString(16).padStart(8, "0");
  return {
    complete,
    handles: stat("HANDLES"),
    touches: stat("TOUCHES"),
    simulatedSeconds: core.exports.simulatedNs() / 1e9,
    iterations: readIterations(core),
    files: stat("FILES"),
    maxTransactionBlocks: core.exports.maximumTransaction(),
    ...readCommits(core),
    checkpointCalls: stat("CP_CALLS"),
    checkpointWrites: stat("CP_WRITES"),
    checkpointDropped: stat("CP_DROPPED"),
    spaceWaits: {
      count: stat("SPACE_N"),
      seconds: seconds("SPACE_NS"),
      maxMs: stat("SPACE_MAX") / 1e6,
    },
    commitWaits: { count: stat("CWAIT_N"), seconds: seconds("CWAIT_NS") },
    ...readTails(core),
    ...readBuffers(core),
    dataWrites: stat("DATA_WRITES"),
    logWrites: stat("LOG_WRITES"),
    flushes: stat("FLUSHES"),
    stallSeconds: readStalls((i) => seconds("STALL_NS", i)),
    stallCounts: readStalls((i) => stat("STALL_N", i)),
    flusherStallSeconds: seconds("FLUSHER_STALL"),
    runQueueSeconds: seconds("RUNQ"),
    longestWaitMs: stat("LONGEST") / 1e6,
    waitQuantilesMs: readQuantiles(core),
    background: { calls: stat("BG_N"), seconds: seconds("BG_NS") },
    crash: readCrash(core, aborted),
    digest: hex(core.exports.digestHigh()) + hex(core.exports.digestLow()),
  };
}

function readCommits(core: Core) {
  const stat = (name: string, offset = 0) => core.stat(`ST_${name}`, offset);
  const seconds = (name: string, offset = 0) => stat(name, offset) / 1e9;
  return {
    commits: stat("COMMITS"),
    commitReasons: {
      full: stat("REASON"),
      timer: stat("REASON", 1),
      checkpoint: stat("REASON", 2),
      sync: stat("REASON", 3),
      policy: stat("REASON", 4),
    },
    committedHandles: stat("COMMIT_HANDLES"),
    committedBuffers: stat("COMMIT_BUFFERS"),
    loggedBlocks: stat("LOGGED"),
    commitSeconds: {
      run: seconds("C_RUN"),
      lock: seconds("C_LOCK"),
      submit: seconds("C_SUBMIT"),
      ioWait: seconds("C_IOWAIT"),
      record: seconds("C_RECORD"),
      tail: seconds("C_TAIL"),
      forget: seconds("C_FORGET"),
      total: seconds("C_TOTAL"),
    },
    frozenCopies: stat("FROZEN"),
    rejoinedAtCommit: stat("REJOINED"),
    forcedToClose: stat("FORCED"),
  } satisfies Partial<RunStats>;
}

function readTails(core: Core) {
  const stat = (name: string) => core.stat(`ST_${name}`);
  const commit = stat("TAIL_COMMIT");
  const handle = stat("TAIL_THREAD");
  const flusher = stat("TAIL_FLUSHER");
  const worker = stat("TAIL_WORKER");
  const kjournald = stat("TAIL_KJOURNALD");
  return {
    tailUpdates: { commit, handle: handle + flusher, background: worker + kjournald - commit },
    tailMovesBy: { handle, flusher, worker, kjournald },
    tailBlocks: stat("TAIL_BLOCKS"),
    tailCommitDecided: stat("TAIL_DECIDED"),
    tailCommitTooSmall: stat("TAIL_SMALL"),
  } satisfies Partial<RunStats>;
}

function readBuffers(core: Core) {
  const stat = (name: string) => core.stat(`ST_${name}`);
  return {
    cleanup: {
      scanned: stat("CL_SCANNED"),
      freed: stat("CL_FREED"),
      freedRejoined: stat("CL_FREED_REJOINED"),
      stopRejoined: stat("CL_STOP_REJOINED"),
      stopLocked: stat("CL_STOP_LOCKED"),
      stopDirty: stat("CL_STOP_DIRTY"),
      releasedTransactions: stat("CL_RELEASED"),
    },
    homeWrites: {
      flusher: stat("HW_FLUSHER"),
      checkpoint: stat("HW_CHECKPOINT"),
      policy: stat("HW_POLICY"),
      total: stat("HW_FLUSHER") + stat("HW_CHECKPOINT") + stat("HW_POLICY"),
    },
  } satisfies Partial<RunStats>;
}

function readStalls(of: (i: number) => number): Record<StallClass, number> & { total: number } {
  const entries = STALL_CLASSES.map((name, i) => [name, of(i)] as const);
  const total = entries.reduce((sum, [, value]) => sum + value, 0);
  return { ...(Object.fromEntries(entries) as Record<StallClass, number>), total };
}

function readIterations(core: Core): RunStats["iterations"] {
  const count = Math.min(core.stat("ST_SAMPLES"), MAX_SAMPLES);
  const samples = core.doubles(core.exports.samplesAt, count * SAMPLE_DOUBLES);
  const iterations: RunStats["iterations"] = [];
  let files = 0;
  let endNs = 0;
  for (let i = 0; i < count; i++) {
    const total = samples[i * SAMPLE_DOUBLES] ?? 0;
    const at = samples[i * SAMPLE_DOUBLES + 1] ?? 0;
    const seconds = (at - endNs) / 1e9;
    const filesPerSecond = samples[i * SAMPLE_DOUBLES + 2] ?? 0;
    iterations.push({ files: total - files, seconds, filesPerSecond });
    files = total;
    endNs = at;
  }
  return iterations;
}

/**
 * Quantiles over all handles, those that did not wait included; upper end of a bucket of a quarter
 * power of two.
 */
function readQuantiles(core: Core): RunStats["waitQuantilesMs"] {
  const counts = Array.from({ length: HISTOGRAM_BUCKETS }, (_, i) => core.stat("ST_HIST", i));
  const handles = core.stat("ST_HANDLES");
  const waited = counts.reduce((a, b) => a + b, 0);
  const quantile = (q: number): number => {
    let left = q * handles - (handles - waited);
    if (left <= 0) return 0;
    for (const [i, n] of counts.entries()) {
      left -= n;
      if (left <= 0) return (2 ** (i >> 2) * (1 + ((i & 3) + 1) / 4)) / 1e6;
    }
    return 0;
  };
  return { p50: quantile(0.5), p99: quantile(0.99), p999: quantile(0.999) };
}

function readCrash(core: Core, aborted: boolean): RunStats["crash"] {
  const count = core.stat("ST_WINDOWS");
  const kept = Math.min(count, MAX_WINDOWS);
  const values = core.doubles(core.exports.windowsAt, kept * WINDOW_DOUBLES);
  const lossWindows: LossWindow[] = [];
  for (let i = 0; i < kept; i++) {
    const [block = 0, tid = 0, tailTid = 0, fromNs = 0, toNs = 0] = values.subarray(
      i * WINDOW_DOUBLES,
    );
    lossWindows.push({ block, tid, tailTid, fromNs, toNs });
  }
  const open = core.exports.windowsOpen() * core.exports.simulatedNs();
  const kind = core.exports.violationKind();
  const violation =
    kind === 0
      ? ""
      : `${VIOLATIONS[kind]} (${kind === 3 ? "transaction" : "block"} ` +
        `${core.exports.violationAt()})`;
  const verdict: Verdict = aborted
    ? "journal-aborted"
    : kind !== 0
      ? "violates-write-ahead"
      : count > 0
        ? "loses-acknowledged-data"
        : "consistent";
  return {
    verdict,
    cuts: core.stat("ST_CUTS"),
    lossWindowCount: count,
    lossWindowSeconds: (core.stat("ST_WINDOW_NS") + open) / 1e9,
    lossWindows,
    violation,
  };
}
