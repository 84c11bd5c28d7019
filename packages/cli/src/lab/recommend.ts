import type { Verdict } from "@jbdlab/core-wasm";
import { CANDIDATES } from "./candidates.js";
import type { Cell } from "./cells.js";
import { InputError } from "./errors.js";
import type { RunOptions } from "./options.js";
import type { RunResult } from "./result.js";
import { BLOCK_BYTES, formatJournal, parseJournals } from "./sizes.js";
import { type SweepOptions, sweep } from "./sweep.js";
import type { SweepResult } from "./sweep-result.js";
import { formatBytes } from "./units.js";
import { DEFAULT_JOURNAL, pinWork } from "./world.js";

const UNSAFE = "v3/jbd2";
const TODAY = "v4/jbd2";
const CEILING = "v4/infinite-log";

/** A safe policy at one journal size, against today's kernel and the unsafe one. */
export interface Answer {
  readonly policy: string;
  readonly rate: number;
  /** Against today's kernel, percent. */
  readonly gainPercent: number;
  /** Share of the loss from v3 to v4 that it wins back, percent; null without a loss. */
  readonly wonBackPercent: number | null;
  /** Against today's kernel, percent. */
  readonly homeWritesPercent: number;
  readonly flushesPercent: number;
  readonly p999WaitMs: number;
  /** Reading and writing home a full log: at most so long takes recovery. */
  readonly recoverySeconds: number;
  /** At most so much memory is pinned by the log's buffers. */
  readonly memoryMiB: number;
  readonly verdict: Verdict;
  /** Distinct durable states judged. */
  readonly cuts: number;
}

/** What to do at one journal size. */
export interface Recommendation {
  readonly journalBlocks: number;
  readonly unit: string;
  readonly unsafeRate: number;
  readonly todayRate: number;
  readonly ceilingRate: number;
  /** From the unsafe to today's kernel, percent; negative. */
  readonly lossPercent: number;
  /** The fastest first; only those that are consistent. */
  readonly answers: readonly Answer[];
  readonly replay: string;
}

export interface Recommendations {
  readonly sizes: readonly Recommendation[];
  /** Of 4MiB..256MiB, from this size on the loss is below two percent; null: at none. */
  readonly vanishesAtBlocks: number | null;
  readonly workload: string;
  readonly device: string;
  readonly seeds: readonly number[];
}

export interface RecommendOptions
  extends Omit<SweepOptions, "rows" | "base" | "onRun" | "finished"> {
  /** Default CANDIDATES. */
  readonly policies?: readonly string[];
}

/** Losses below this are none. */
const VANISHED_PERCENT = 2;

const sum = (runs: readonly RunResult[], of: (run: RunResult) => number) =>
  runs.reduce((total, run) => total + of(run), 0);
const more = (value: number, base: number) => (base === 0 ? 0 : 100 * (value / base - 1));

/**
 * For each journal size: which safe policy wins back most of what the unsafe kernel had, and what
 * it costs; then from which size on the question vanishes. Every row of a size does the same work,
 * enough to wrap the log that was asked for. Throws as `sweep` does.
 */
export async function recommend(options: RecommendOptions = {}): Promise<Recommendations> {
  const { policies = CANDIDATES, ...rest } = options;
  const rows = [UNSAFE, TODAY, ...policies.map((policy) => `v4/${policy}`), CEILING];
  const sizes: Recommendation[] = [];
  let last: SweepResult | undefined;
  for (const blocks of parseJournals(options.journal ?? DEFAULT_JOURNAL)) {
    const seed = options.seeds?.[0] ?? 1;
    const pinned = pinWork({ ...runOptions(rest), seed }, blocks, blocks);
    const work = {
      workload: pinned.workload,
      memory: formatBytes(pinned.memory.value * BLOCK_BYTES),
      journal: formatJournal(blocks),
    };
    last = whole(await sweep({ ...rest, ...work, rows, base: TODAY }));
    const perBlock = last.provenance["nsPerBlock"]?.value;
    sizes.push(atSize(last, typeof perBlock === "number" ? perBlock : 0));
  }
  const { journal: _, ...anySize } = rest;
  const all = whole(await sweep({ ...anySize, rows: [UNSAFE, TODAY], base: UNSAFE }));
  return {
    sizes,
    vanishesAtBlocks: vanishes(all),
    workload: all.workload,
    device: all.device,
    seeds: all.seeds,
  };
}

/** A sweep's options that a run has, too. */
function runOptions(options: SweepOptions): RunOptions {
  const { rows: _, seeds: __, base: ___, workers: ____, signal: _____, ...more } = options;
  const { onRun: _r, onProgress: _p, finished: _f, ...run } = more;
  return run;
}

function whole(result: SweepResult): SweepResult {
  if (result.complete) return result;
  const failure = result.failures[0]?.message ?? "it was stopped";
  throw new InputError(`not all runs are finished: ${failure}`);
}

/** The size from which on the loss is nil. */
function vanishes(result: SweepResult): number | null {
  const gaps = result.journals.map((journalBlocks) => {
    const cell = result.cells.find(
      (each) => each.row === TODAY && each.journalBlocks === journalBlocks,
    );
    return { journalBlocks, percent: cell?.gap?.percent ?? 0 };
  });
  const lossy = gaps.findLastIndex(({ percent }) => percent <= -VANISHED_PERCENT);
  return gaps[lossy + 1]?.journalBlocks ?? null;
}

function atSize({ cells, unit, replay }: SweepResult, nsPerBlock: number): Recommendation {
  const cell = (row: string) => {
    const found = cells.find((each) => each.row === row);
    if (found === undefined) throw new InputError(`row ${row} has no finished run`);
    return found;
  };
  const [unsafe, today] = [cell(UNSAFE).throughput.mean, cell(TODAY).throughput.mean];
  const answers = cells
    .filter(({ row, verdict }) => ![UNSAFE, CEILING].includes(row) && verdict === "consistent")
    .map((each) => answerOf(each, cell(TODAY), unsafe, nsPerBlock));
  return {
    journalBlocks: cells[0]?.journalBlocks ?? 0,
    unit,
    unsafeRate: unsafe,
    todayRate: today,
    ceilingRate: cell(CEILING).throughput.mean,
    lossPercent: more(today, unsafe),
    answers: answers.sort((a, b) => b.rate - a.rate),
    replay,
  };
}

function answerOf(cell: Cell, today: Cell, unsafe: number, nsPerBlock: number): Answer {
  const rate = cell.throughput.mean;
  const base = today.throughput.mean;
  const blocks = Math.max(...cell.runs.map((run) => run.journalBlocks));
  const { runs } = cell;
  return {
    policy: cell.row.slice(cell.row.indexOf("/") + 1),
    rate,
    gainPercent: more(rate, base),
    wonBackPercent: unsafe > base ? (100 * (rate - base)) / (unsafe - base) : null,
    homeWritesPercent: more(
      sum(runs, (run) => run.homeWrites),
      sum(today.runs, (run) => run.homeWrites),
    ),
    flushesPercent: more(
      sum(runs, (run) => run.flushes),
      sum(today.runs, (run) => run.flushes),
    ),
    p999WaitMs: Math.max(...runs.map((run) => run.waitQuantilesMs.p999)),
    recoverySeconds: (2 * blocks * nsPerBlock) / 1e9,
    memoryMiB: (blocks * BLOCK_BYTES) / 2 ** 20,
    verdict: cell.verdict,
    cuts: sum(runs, (run) => run.durableStatesJudged),
  };
}
