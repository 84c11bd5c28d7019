import { Distribution } from "./distribution.js";
import { ImportError } from "./import-error.js";
import { badLine, type Ending, type LineParser, parseFileSync } from "./lines.js";
import { type CommitPhase, type Measurements, NOTHING } from "./measurements.js";

/** A transaction's row. Times in milliseconds. */
export interface HistoryTransaction {
  readonly line: number;
  readonly tid: number;
  /** Longest wait of a handle to start in it. */
  readonly waitMs: number;
  readonly runMs: number;
  readonly lockMs: number;
  readonly flushMs: number;
  readonly logMs: number;
  readonly handles: number;
  readonly blocks: number;
  readonly logged: number;
}

/** A checkpoint's row. */
export interface HistoryCheckpoint {
  readonly line: number;
  readonly tid: number;
  readonly timeMs: number;
  readonly written: number;
  readonly dropped: number;
  readonly forced: number;
}

/** A checkpoint beside the longest wait in the transaction that follows it. */
export interface HistoryIdentity {
  readonly checkpointTid: number;
  readonly checkpointMs: number;
  readonly transactionTid: number;
  readonly waitMs: number;
}

/** jbd2's history as /proc/fs/jbd/<dev>/history printed it (2005 ... 2009) or as a CSV of it. */
export interface History {
  readonly file: string;
  readonly transactions: readonly HistoryTransaction[];
  readonly checkpoints: readonly HistoryCheckpoint[];
  /** Waiting as a share of waiting and running, 0 ... 1. */
  readonly stallShare: number;
  /**
   * Time per block written home by checkpoints that forced no commit, ms; undefined without any.
   */
  readonly msPerHomeBlock: number | undefined;
  /** Share of checkpoint time in those that waited for a commit, 0 ... 1. */
  readonly forcedShare: number;
  /**
   * Writing checkpoints beside the next row's longest wait: a handle's longest wait is the
   * checkpoint it ran into, plus about 20 ms; a row for which it is not (its wait is of another
   * checkpoint) shows as it is.
   */
  readonly identity: readonly HistoryIdentity[];
  readonly consumed: string;
}

const CSV_HEADER =
  "kind,tid,wait_ms,run_ms,lock_ms,flush_ms,log_ms,handles,blocks,in_log," +
  "ctime_ms,written,dropped,forced_to_close";
const PRINTED_HEADER = "R/C tid wait run lock flush log hndls block inlog ctime write drop close";
const RUN_COLUMNS = 9;
const CHECKPOINT_COLUMNS = 5;

/** True for the header line of either form. */
export function isHistoryHeader(line: string): boolean {
  const words = line.trim().split(/\s+/).join(" ");
  return words === CSV_HEADER || words === PRINTED_HEADER;
}

/** Parses the history table. Throws ImportError with the line on anything else. */
export class HistoryParser implements LineParser<History> {
  readonly #transactions: HistoryTransaction[] = [];
  readonly #checkpoints: HistoryCheckpoint[] = [];
  readonly #identity: HistoryIdentity[] = [];
  #waiting: HistoryCheckpoint[] = [];
  #form: "csv" | "printed" | undefined;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    const words = text.trim().split(/\s+/).join(" ");
    if (words === "") {
      return;
    }
    if (words === CSV_HEADER || words === PRINTED_HEADER) {
      this.#form = words === CSV_HEADER ? "csv" : "printed";
      return;
    }
    if (this.#form === undefined) {
      throw badLine(this.file, number, `the header "${PRINTED_HEADER}" or its CSV`, text);
    }
    const numbers = this.#form === "csv" ? csvNumbers(words) : printedNumbers(words);
    if (numbers === undefined) {
      const expected =
        this.#form === "csv"
          ? "R,tid and 8 numbers, or C,tid and 4 numbers in the last columns"
          : "R and 9 numbers, or C and 5 numbers";
      throw badLine(this.file, number, expected, text);
    }
    this.#row(words.startsWith("R"), numbers, number);
  }

  #row(run: boolean, n: readonly number[], line: number): void {
    if (!run) {
      const [tid, timeMs, written, dropped, forced] = n as [number, number, number, number, number];
      const checkpoint = { line, tid, timeMs, written, dropped, forced };
      this.#checkpoints.push(checkpoint);
      this.#waiting.push(checkpoint);
      return;
    }
    const [tid, waitMs, runMs, lockMs, flushMs, logMs, handles, blocks, logged] = n as [
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
      number,
    ];
    for (const { tid: checkpointTid, timeMs: checkpointMs, written } of this.#waiting) {
      if (written > 0) {
        this.#identity.push({ checkpointTid, checkpointMs, transactionTid: tid, waitMs });
      }
    }
    this.#waiting = [];
    this.#transactions.push({
      line,
      tid,
      waitMs,
      runMs,
      lockMs,
      flushMs,
      logMs,
      handles,
      blocks,
      logged,
    });
  }

  finish(ending: Ending): History {
    const rows = this.#transactions.length + this.#checkpoints.length;
    if (rows === 0) {
      const found = `none in ${ending.lines} lines`;
      throw new ImportError(this.file, undefined, "at least one row of the history table", found);
    }
    const waited = sum(this.#transactions, ({ waitMs }) => waitMs);
    const ran = sum(this.#transactions, ({ runMs }) => runMs);
    const forced = this.#checkpoints.filter((checkpoint) => checkpoint.forced > 0);
    const writing = this.#checkpoints.filter((c) => c.forced === 0 && c.written > 0);
    const total = sum(this.#checkpoints, ({ timeMs }) => timeMs);
    const homeBlocks = sum(writing, ({ written }) => written);
    const homeMs = sum(writing, ({ timeMs }) => timeMs);
    return {
      file: this.file,
      transactions: this.#transactions,
      checkpoints: this.#checkpoints,
      stallShare: waited + ran === 0 ? 0 : waited / (waited + ran),
      msPerHomeBlock: homeBlocks === 0 ? undefined : homeMs / homeBlocks,
      forcedShare: total === 0 ? 0 : sum(forced, ({ timeMs }) => timeMs) / total,
      identity: this.#identity,
      consumed: `consumed ${rows} of ${rows} rows`,
    };
  }
}

/** Reads a history table, plain or gzip. */
export function readHistory(file: string): History {
  return parseFileSync(file, new HistoryParser(file));
}

const WHOLE = /^\d{1,12}$/;

function csvNumbers(words: string): number[] | undefined {
  const cells = words.split(",");
  const wanted =
    cells[0] === "R"
      ? cells.slice(1, 1 + RUN_COLUMNS)
      : [cells[1]!, ...cells.slice(2 + RUN_COLUMNS - 1)];
  const empty = cells[0] === "R" ? cells.slice(1 + RUN_COLUMNS) : cells.slice(2, 1 + RUN_COLUMNS);
  const kind = cells[0] === "R" || cells[0] === "C";
  const whole = wanted.every((cell) => WHOLE.test(cell)) && empty.every((cell) => cell === "");
  return kind && cells.length === 14 && whole ? wanted.map(Number) : undefined;
}

function printedNumbers(words: string): number[] | undefined {
  const [kind, ...cells] = words.split(" ");
  const columns = kind === "R" ? RUN_COLUMNS : kind === "C" ? CHECKPOINT_COLUMNS : -1;
  const whole = cells.length === columns && cells.every((cell) => WHOLE.test(cell));
  return whole ? cells.map(Number) : undefined;
}

function sum<T>(rows: readonly T[], of: (row: T) => number): number {
  return rows.reduce((total, row) => total + of(row), 0);
}

/** The table as measurements. */
export function historyMeasurements(history: History): Measurements {
  const { transactions, checkpoints } = history;
  const column = (of: (row: HistoryTransaction) => number): Distribution => {
    const distribution = new Distribution();
    for (const row of transactions) {
      distribution.add(of(row));
    }
    return distribution;
  };
  const timeMs = new Distribution();
  for (const checkpoint of checkpoints) {
    timeMs.add(checkpoint.timeMs);
  }
  const forced = checkpoints.filter((checkpoint) => checkpoint.forced > 0);
  const writing = checkpoints.filter((c) => c.forced === 0 && c.written > 0);
  const phases: [CommitPhase, (row: HistoryTransaction) => number][] = [
    ["wait", ({ waitMs }) => waitMs],
    ["running", ({ runMs }) => runMs],
    ["locked", ({ lockMs }) => lockMs],
    ["flushing", ({ flushMs }) => flushMs],
    ["logging", ({ logMs }) => logMs],
  ];
  const seconds = sum(transactions, ({ waitMs, runMs }) => waitMs + runMs) / 1000;
  return {
    ...NOTHING,
    seconds,
    commits: transactions.length,
    handlesPerTransaction: column(({ handles }) => handles).summary(),
    blocksPerTransaction: column(({ blocks }) => blocks).summary(),
    loggedPerTransaction: column(({ logged }) => logged).summary(),
    phasesMs: Object.fromEntries(phases.map(([name, of]) => [name, column(of).summary()])),
    checkpoints: {
      count: checkpoints.length,
      timed: timeMs.positive,
      timeMs: timeMs.summary(),
      forced: forced.length,
      forcedMs: sum(forced, (row) => row.timeMs),
      writing: writing.length,
      writingMs: sum(writing, (row) => row.timeMs),
      writingBlocks: sum(writing, ({ written }) => written),
      written: sum(checkpoints, ({ written }) => written),
      dropped: sum(checkpoints, ({ dropped }) => dropped),
      msPerHomeBlock: history.msPerHomeBlock,
      byTask: undefined,
    },
  };
}
