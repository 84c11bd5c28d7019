import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { type CsvError, parse } from "csv-parse/sync";
import { InputError, oneLine } from "../errors.js";

/** One run of real jbd2 code without fsync, in the schema of the reference kernel runs. */
export interface KernelRun {
  readonly kind: "create";
  readonly run: string;
  readonly flushMs: number;
  readonly journalMib: number;
  readonly mode: string;
  /** Files of all iterations. */
  readonly files: number;
  readonly iterations: number;
  /** Files per second: harmonic mean over the iterations, and of the first. */
  readonly hmean: number;
  readonly firstIteration: number;
  readonly seconds: number;
  readonly commits: number;
  readonly handles: number;
  readonly spaceMs: number;
  readonly commitWaits: number;
  readonly tailMoves: number;
  /** Columns that a file may lack; undefined then. */
  readonly optional: Readonly<Record<OptionalColumn, number | undefined>>;
}

/** One run of several threads in fsync, in the schema of the reference fsync runs. */
export interface FsyncRun {
  readonly kind: "fsync";
  readonly run: string;
  readonly flushMs: number;
  readonly journalMib: number;
  readonly mode: string;
  readonly threads: number;
  readonly syncMode: number;
  readonly fileBytes: number;
  /** Of each thread in each iteration. */
  readonly files: number;
  readonly iterations: number;
  readonly hmean: number;
  readonly seconds: number;
  readonly commits: number;
  readonly handles: number;
}

export type ReferenceRun = KernelRun | FsyncRun;

export const OPTIONAL_COLUMNS = [
  "buffers",
  "space_n",
  "space_max_ms",
  "commit_wait_ms",
  "tail_ms",
  "shadow_ms",
  "locked_ms",
  "lock_buffer_ms",
  "forced",
  "cp_written",
  "tail_by_handle",
  "tail_by_worker",
  "tail_by_kjournald",
  "first_writeback_ms",
  "rejoined",
] as const;
type OptionalColumn = (typeof OPTIONAL_COLUMNS)[number];

/** A row of the file by column name, with what errors need to name the place. */
class Row {
  constructor(
    private readonly file: string,
    private readonly line: number,
    private readonly cells: Readonly<Record<string, string>>,
  ) {}

  text(name: string): string {
    const cell = this.cells[name]?.trim() ?? "";
    if (cell === "") this.bad(name, "a value", cell);
    return cell;
  }

  number(name: string, min: number, max = 1e15): number {
    const cell = this.text(name);
    const value = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i.test(cell) ? Number(cell) : Number.NaN;
    if (!(value >= min && value <= max)) {
      this.bad(
        name,
        max === 1e15 ? `a number from ${min}` : `a number from ${min} to ${max}`,
        cell,
      );
    }
    return value;
  }

  whole(name: string, min: number, max?: number): number {
    const value = this.number(name, min, max);
    if (!Number.isInteger(value)) this.bad(name, "a whole number", this.text(name));
    return value;
  }

  has(name: string): boolean {
    return (this.cells[name]?.trim() ?? "") !== "";
  }

  /** files_per_sec_1, files_per_sec_2 ...: as many as the row has. */
  get iterations(): number {
    let count = 0;
    while (this.has(`files_per_sec_${count + 1}`)) count++;
    if (count === 0) this.bad("files_per_sec_1", "a value", "");
    return count;
  }

  bad(column: string, expected: string, found: string): never {
    const what = found === "" ? "nothing" : JSON.stringify(found);
    throw new InputError(
      `${this.file}:${this.line}: column ${column}: expected ${expected}, found ${what}`,
    );
  }
}

const NEEDED = [
  "run",
  "device_flush_ms",
  "journal_mib",
  "mode",
  "files_per_sec_1",
  "seconds",
  "commits",
  "handles",
];
const NEEDED_CREATE = ["files", "hmean", "space_ms", "commit_wait_n", "tail_moves"];
const NEEDED_FSYNC = ["threads", "sync_mode", "file_bytes", "files_per_thread_and_iteration"];

function common(row: Row) {
  return {
    run: row.text("run"),
    flushMs: row.number("device_flush_ms", 0, 60000),
    journalMib: row.number("journal_mib", 4, 16384),
    mode: row.text("mode"),
    iterations: row.iterations,
    seconds: row.number("seconds", 1e-9),
    commits: row.whole("commits", 1),
    handles: row.whole("handles", 1),
  };
}

function createRun(row: Row): KernelRun {
  const optional = Object.fromEntries(
    OPTIONAL_COLUMNS.map((name) => [name, row.has(name) ? row.number(name, 0) : undefined]),
  ) as Record<OptionalColumn, number | undefined>;
  return {
    kind: "create",
    ...common(row),
    files: row.whole("files", 1, 1e9),
    hmean: row.number("hmean", 1e-9),
    firstIteration: row.number("files_per_sec_1", 1e-9),
    spaceMs: row.number("space_ms", 0),
    commitWaits: row.whole("commit_wait_n", 0),
    tailMoves: row.whole("tail_moves", 0),
    optional,
  };
}

function fsyncRun(row: Row): FsyncRun {
  const base = common(row);
  const inverse = Array.from(
    { length: base.iterations },
    (_, i) => 1 / row.number(`files_per_sec_${i + 1}`, 1e-9),
  );
  return {
    kind: "fsync",
    ...base,
    threads: row.whole("threads", 1, 256),
    syncMode: row.whole("sync_mode", 0, 6),
    fileBytes: row.whole("file_bytes", 0, 2 ** 26),
    files: row.whole("files_per_thread_and_iteration", 1, 1e7),
    hmean: base.iterations / inverse.reduce((a, b) => a + b, 0),
  };
}

/**
 * Reads runs in the schema of the reference kernel runs (columns in any order, more are allowed):
 * `run, device_flush_ms, journal_mib, mode, files, files_per_sec_1 ..., hmean, seconds, commits,
 * handles, space_ms, commit_wait_n, tail_moves`, or that of the fsync runs (`threads, sync_mode,
 * file_bytes, files_per_thread_and_iteration` instead of the last). Throws InputError with file
 * and line.
 */
export function readRuns(file: string): ReferenceRun[] {
  const records = readCsv(file);
  const [header, ...rows] = records;
  if (header === undefined) {
    throw new InputError(`${file}: expected a header line of column names, found an empty file`);
  }
  const names = header.cells.map((name) => name.trim());
  const fsync = names.includes("sync_mode");
  const missing = [...NEEDED, ...(fsync ? NEEDED_FSYNC : NEEDED_CREATE)].find(
    (name) => !names.includes(name),
  );
  if (missing !== undefined) {
    throw new InputError(
      `${file}:${header.line}: expected a column ${missing}, found ${JSON.stringify(
        header.cells.join(",").slice(0, 60),
      )}`,
    );
  }
  if (rows.length === 0) throw new InputError(`${file}: expected runs, found only a header`);
  const seen = new Map<string, number>();
  return rows.map(({ cells, line }) => {
    const row = new Row(
      file,
      line,
      Object.fromEntries(names.map((name, i) => [name, cells[i] ?? ""])),
    );
    const run = fsync ? fsyncRun(row) : createRun(row);
    const before = seen.get(run.run);
    if (before !== undefined) row.bad("run", `a name not used in line ${before}`, run.run);
    seen.set(run.run, line);
    return run;
  });
}

/** The reference runs that come with the package; see data/kernel-runs/README.md. */
export function referenceRuns(): ReferenceRun[] {
  const file = (name: string) =>
    fileURLToPath(new URL(`../../../data/kernel-runs/${name}`, import.meta.url));
  return [...readRuns(file("runs.csv")), ...readRuns(file("runs_fsync.csv"))];
}

function readCsv(file: string): { cells: string[]; line: number }[] {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" ? "no such file" : code === "EISDIR" ? "a directory" : oneLine(error);
    throw new InputError(`${file}: expected a CSV file of runs, found ${why}`);
  }
  try {
    const records = parse(text, {
      bom: true,
      skip_empty_lines: true,
      info: true,
      max_record_size: 65536,
    }) as unknown as { record: string[]; info: { lines: number } }[];
    return records.map(({ record, info }) => ({ cells: record, line: info.lines }));
  } catch (error) {
    const { lines } = error as CsvError & { lines?: number };
    throw new InputError(`${file}:${lines ?? 1}: expected CSV, found: ${oneLine(error)}`);
  }
}
