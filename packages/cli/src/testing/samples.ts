import type { Rule, StallClass } from "@jbdlab/core-wasm";
import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { toCells } from "../lab/cells.js";
import type { RunResult } from "../lab/result.js";
import type { SweepResult } from "../lab/sweep-result.js";

const noStalls = Object.fromEntries([...STALL_CLASSES, "total"].map((name) => [name, 0])) as Record<
  StallClass | "total",
  number
>;

/** Stall seconds or counts with these classes and their total. */
export function stalls(classes: Partial<Record<StallClass, number>>): RunResult["stallSeconds"] {
  const total = Object.values(classes).reduce((sum, value) => sum + value, 0);
  return { ...noStalls, ...classes, total };
}

const COMMIT_SECONDS = {
  run: 9,
  lock: 0,
  submit: 0.1,
  ioWait: 0.5,
  record: 0.1,
  tail: 0,
  forget: 0.1,
  total: 1,
};
const CLEANUP = {
  scanned: 1,
  freed: 1,
  freedRejoined: 0,
  stopRejoined: 1,
  stopLocked: 0,
  stopDirty: 0,
  releasedTransactions: 0,
};

/** A finished run of ten simulated seconds, with what a test cares about. */
export function sampleRun(values: Partial<RunResult> = {}): RunResult {
  return {
    seed: 1,
    rule: "v4" as Rule,
    policy: "jbd2",
    workload: "fsmark",
    device: "sata-ssd",
    setting: "default",
    journalBlocks: values.journalBlocks ?? 4096,
    askedJournalBlocks: values.journalBlocks ?? 4096,
    maxTransactionBlocks: 1365,
    threads: 1,
    cpus: 2,
    memoryBlocks: 65536,
    complete: true,
    handles: 100000,
    touches: 800000,
    files: 100000,
    simulatedSeconds: 10,
    handlesPerSecond: 10000,
    filesPerSecond: 10000,
    iterations: [{ files: 100000, seconds: 10, filesPerSecond: 10000 }],
    commits: 18,
    commitReasons: { full: 17, timer: 1, checkpoint: 0, sync: 0, policy: 0 },
    commitSeconds: COMMIT_SECONDS,
    blocksPerCommit: 1000,
    handlesPerTransaction: 5555,
    loggedBlocks: 18100,
    logWraps: 4.4,
    frozenCopies: 1,
    rejoinedAtCommit: 10,
    forcedToClose: 11,
    checkpointCalls: 15,
    checkpointWrites: 2000,
    checkpointDropped: 7000,
    spaceWaits: { count: 15, seconds: 2.9, maxMs: 247 },
    commitWaits: { count: 11, seconds: 1.38 },
    tailUpdates: { commit: 0, handle: 15, background: 0 },
    tailMovesBy: { handle: 15, flusher: 0, worker: 0, kjournald: 0 },
    tailCommitDecided: 0,
    tailCommitTooSmall: 3,
    cleanup: CLEANUP,
    homeWrites: 9000,
    homeWritesBy: { flusher: 7000, checkpoint: 2000, policy: 0 },
    dataWrites: 0,
    logWrites: 300,
    flushes: 33,
    stallSeconds: stalls({ "log-space/forced-commit": 1.38, "log-space/tail-flush": 1.44 }),
    stallCounts: stalls({ "log-space/forced-commit": 11, "log-space/tail-flush": 15 }),
    flusherStallSeconds: 0,
    runQueueSeconds: 0,
    longestWaitMs: 247,
    waitQuantilesMs: { p50: 0, p99: 0, p999: 1 },
    background: { calls: 0, seconds: 0 },
    lossWindows: 0,
    lossWindowSeconds: 0,
    lossWindowList: [],
    durableStatesJudged: 100,
    violation: "",
    verdict: "consistent",
    digest: "0123456789abcdef",
    replay: "npx jbdlab run --rule v4",
    wallMs: 12,
    ...values,
  };
}

/** A sweep made of these runs; rows and sizes are the runs' own. */
export function sampleSweep(runs: readonly RunResult[], base: string): SweepResult {
  const rows = [...new Set(runs.map((run) => `${run.rule}/${run.policy}`))];
  const journals = [...new Set(runs.map((run) => run.journalBlocks))].sort((a, b) => a - b);
  return {
    version: "0.1.0",
    complete: true,
    replay: "npx jbdlab sweep",
    base,
    rows,
    journals,
    seeds: [...new Set(runs.map((run) => run.seed))],
    workload: "fsmark",
    device: "sata-ssd",
    setting: "default",
    provenance: {},
    wraps: 3,
    unit: "files/s",
    runsWanted: runs.length,
    runsDone: runs.length,
    cells: toCells(runs, rows, base),
    failures: [],
    wallMs: 1000,
  };
}

/** v3 faster but losing data, v4 slower by waits for commits; two sizes, three seeds. */
export function sampleComparison(): SweepResult {
  const runs = [4096, 8192].flatMap((journalBlocks) =>
    [1, 2, 3].flatMap((seed) => [
      sampleRun({
        seed,
        journalBlocks,
        rule: "v3",
        filesPerSecond: 12300 + 10 * seed,
        verdict: "loses-acknowledged-data",
        lossWindows: 4,
        stallSeconds: stalls({ "log-space/forced-commit": 0.38, "log-space/tail-flush": 1.44 }),
      }),
      sampleRun({
        seed,
        journalBlocks,
        filesPerSecond: (journalBlocks === 4096 ? 11300 : 12000) + 10 * seed,
      }),
    ]),
  );
  return sampleSweep(runs, "v3/jbd2");
}
