import { STALL_CLASSES, type Verdict } from "@jbdlab/core-wasm";
import type { Cell } from "./cells.js";
import { InputError } from "./errors.js";
import type { ProgressReport } from "./progress.js";
import type { RunResult } from "./result.js";
import { BLOCK_BYTES, formatJournal } from "./sizes.js";
import { DEFAULT_JOURNALS, type SweepOptions, sweep } from "./sweep.js";
import { formatBytes } from "./units.js";

/** A part of the difference between two rows. */
export interface ExplainedPart {
  /** What the handle threads' time went to. */
  readonly name: string;
  /** Seconds of all handle threads and seeds. */
  readonly baseSeconds: number;
  readonly rowSeconds: number;
  /** Percentage points of the gap: negative slows the row down. */
  readonly points: number;
}

/** The gap when one mechanism is switched off for both rows. */
export interface Counterfactual {
  readonly name: string;
  readonly gapPercent: number;
  readonly verdicts: readonly [base: Verdict, row: Verdict];
  readonly replay: string;
}

export interface Explanation {
  readonly base: string;
  readonly row: string;
  readonly journalBlocks: number;
  /** The sizes that were tried for the worst gap; empty when one was given. */
  readonly tried: readonly number[];
  readonly seeds: readonly number[];
  readonly unit: string;
  readonly baseRate: number;
  readonly rowRate: number;
  readonly verdicts: readonly [base: Verdict, row: Verdict];
  /** 100 (row / base - 1), of the work done in all of the time. */
  readonly gapPercent: number;
  /** Sum up to gapPercent: the threads' time is divided among them without remainder. */
  readonly parts: readonly ExplainedPart[];
  readonly counterfactuals: readonly Counterfactual[];
  /** What the longest kind of added wait waits for, from the handle down to the device. */
  readonly chain: readonly string[];
  readonly replay: string;
}

export interface ExplainOptions extends Omit<SweepOptions, "rows" | "base" | "onRun" | "finished"> {
  /** Default v3/jbd2. */
  readonly baseRow?: string;
  /** Default v4/jbd2. */
  readonly row?: string;
  readonly onStage?: (what: string) => void;
  readonly onProgress?: (report: ProgressReport) => void;
}

const sum = (runs: readonly RunResult[], of: (run: RunResult) => number) =>
  runs.reduce((total, run) => total + of(run), 0);
const threadSeconds = (run: RunResult) => run.simulatedSeconds * run.threads;

/** Where the time of handle threads goes; the classes are disjoint and sum to all of it. */
const CLASSES: readonly (readonly [string, (run: RunResult) => number])[] = [
  ...STALL_CLASSES.map(
    (name) => [`waits: ${name}`, (run: RunResult) => run.stallSeconds[name]] as const,
  ),
  ["waiting for a CPU", (run) => run.runQueueSeconds],
  [
    "CPU time, interrupts, barriers",
    (run) => threadSeconds(run) - run.stallSeconds.total - run.runQueueSeconds,
  ],
];

function cellOf(cells: readonly Cell[], row: string, journalBlocks: number): Cell {
  const cell = cells.find((each) => each.row === row && each.journalBlocks === journalBlocks);
  if (cell === undefined) throw new InputError(`row ${row} has no finished run`);
  return cell;
}

/** 100 (row / base - 1) for the same work: the inverse of the ratio of their times. */
function gapOf(base: readonly RunResult[], row: readonly RunResult[]): number {
  return 100 * (sum(base, threadSeconds) / sum(row, threadSeconds) - 1);
}

/**
 * Why is `row` slower than `baseRow`? Divides the threads' time among what it went to, and runs
 * both again with one mechanism switched off at a time. Without a journal size the worst of the
 * default ones is taken. Throws as `sweep` does.
 */
export async function explain(options: ExplainOptions = {}): Promise<Explanation> {
  const { baseRow = "v3/jbd2", row: slow = "v4/jbd2", onStage, ...rest } = options;
  const pair = { ...rest, rows: [baseRow, slow], base: baseRow };
  onStage?.(`running ${baseRow} and ${slow}`);
  const first = await sweep({ ...pair, journal: options.journal ?? DEFAULT_JOURNALS });
  if (!first.complete) throw new InputError("stopped before both rows had run");
  const [base = "", row = ""] = first.rows;
  const gapAt = (size: number) =>
    gapOf(cellOf(first.cells, base, size).runs, cellOf(first.cells, row, size).runs);
  const worst = first.journals.reduce((a, b) => (gapAt(b) < gapAt(a) ? b : a));
  const baseCell = cellOf(first.cells, base, worst);
  const rowCell = cellOf(first.cells, row, worst);
  const total = sum(rowCell.runs, threadSeconds);
  const parts = CLASSES.map(([name, of]): ExplainedPart => {
    const [baseSeconds, rowSeconds] = [sum(baseCell.runs, of), sum(rowCell.runs, of)];
    return { name, baseSeconds, rowSeconds, points: (100 * (baseSeconds - rowSeconds)) / total };
  }).filter(({ baseSeconds, rowSeconds }) => baseSeconds > 0 || rowSeconds > 0);
  return {
    base,
    row,
    journalBlocks: worst,
    tried: first.journals.length > 1 ? first.journals : [],
    seeds: first.seeds,
    unit: first.unit,
    baseRate: baseCell.throughput.mean,
    rowRate: rowCell.throughput.mean,
    verdicts: [baseCell.verdict, rowCell.verdict],
    gapPercent: gapOf(baseCell.runs, rowCell.runs),
    parts: [...parts].sort((a, b) => a.points - b.points),
    counterfactuals: await counterfactuals(pair, base, row, rowCell, onStage),
    chain: chainOf(parts, rowCell.runs),
    replay: first.replay,
  };
}

/** One mechanism off at a time, for both rows, with the same work. */
async function counterfactuals(
  pair: SweepOptions,
  base: string,
  row: string,
  cell: Cell,
  onStage: ExplainOptions["onStage"],
): Promise<Counterfactual[]> {
  const size = formatJournal(cell.journalBlocks);
  const run = cell.runs[0];
  // The work of the first runs, spelled out.
  const work = {
    ...pair,
    journal: size,
    ...(run === undefined
      ? {}
      : { workload: run.workload, memory: formatBytes(run.memoryBlocks * BLOCK_BYTES) }),
  };
  const changes: readonly (readonly [string, Partial<SweepOptions>])[] = [
    ["cache flushes cost nothing", { flushMs: 0 }],
    ["the journal is twice as large", { journal: formatJournal(2 * cell.journalBlocks) }],
    ["four CPUs more", { cpus: (run?.cpus ?? 2) + 4 }],
  ];
  const results: Counterfactual[] = [];
  for (const [name, change] of changes) {
    onStage?.(`running both again: ${name}`);
    const { cells, replay, journals } = await sweep({ ...work, ...change });
    const at = journals[0] ?? cell.journalBlocks;
    const [a, b] = [cellOf(cells, base, at), cellOf(cells, row, at)];
    const verdicts = [a.verdict, b.verdict] as const;
    results.push({ name, gapPercent: gapOf(a.runs, b.runs), verdicts, replay });
  }
  return results;
}

function chainOf(parts: readonly ExplainedPart[], runs: readonly RunResult[]): string[] {
  const worst = [...parts]
    .filter(({ name }) => name.startsWith("waits:"))
    .sort((a, b) => a.points - b.points)[0];
  if (worst === undefined || worst.points >= 0) return [];
  const commits = Math.max(
    1,
    sum(runs, (run) => run.commits),
  );
  const ms = (of: (run: RunResult) => number) => ((1000 * sum(runs, of)) / commits).toFixed(2);
  const commit =
    `a commit: ${ms((run) => run.commitSeconds.total)} ms on average, of it submitting ` +
    `${ms((run) => run.commitSeconds.submit)} ms, log writes ` +
    `${ms((run) => run.commitSeconds.ioWait)} ms, record with preflush and FUA ` +
    `${ms((run) => run.commitSeconds.record)} ms`;
  const device = "the device";
  const checkpoint = "a checkpoint that met a buffer of a running or committing transaction";
  const space = "a handle out of log space";
  const chains: Readonly<Record<string, readonly string[]>> = {
    "waits: log-space/forced-commit": [space, checkpoint, commit, device],
    "waits: log-space/wait-committing": [space, commit, device],
    "waits: log-space/home-writes": [space, "home writes of the oldest transaction", device],
    "waits: log-space/tail-flush": [
      space,
      "moving the tail: a cache flush, the superblock with FUA",
      device,
    ],
    "waits: log-space/mutex": [space, "whoever holds the checkpoint mutex", commit, device],
    "waits: transaction-locked": [
      "a handle that starts",
      "a transaction that is being locked",
      commit,
    ],
    "waits: shadow": ["a handle that changes a block", "the block's log write", device],
    "waits: locked-buffer": ["a handle that changes a block", "the block's home write", device],
  };
  return [...(chains[worst.name] ?? [worst.name.replace("waits: ", "")])];
}
