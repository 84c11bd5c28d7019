import { ImportError } from "../import-error.js";
import { badLine, type Ending, type LineParser } from "../lines.js";
import { MMTESTS_ERAS, type MmtestsEra, STAR_TESTS, STATISTICS } from "./statistics.js";

/** fs_mark samples of one kernel, by number of threads. */
export interface MmtestsRun {
  readonly name: string;
  /** files/s in the order of the iterations. */
  readonly samples: ReadonlyMap<number, readonly number[]>;
}

/** A figure of the table. */
export interface MmtestsCell {
  readonly value: number;
  /** Against the first column; positive is better. */
  readonly percent: number;
  /** Starred; what that means depends on the era. */
  readonly significant: boolean;
}

export interface MmtestsRow {
  readonly statistic: string;
  readonly threads: number;
  /** One per column. */
  readonly cells: readonly MmtestsCell[];
}

/** A comparison table. */
export interface MmtestsTable {
  readonly era: MmtestsEra;
  /** What a star means. */
  readonly starTest: string;
  readonly columns: readonly string[];
  readonly rows: readonly MmtestsRow[];
}

/**
 * Compares runs with the first, as `compare-mmtests` does. Throws RangeError without runs or
 * common thread counts.
 */
export function compareRuns(runs: readonly MmtestsRun[], era: MmtestsEra): MmtestsTable {
  const counts = [...(runs[0]?.samples.keys() ?? [])].filter((threads) =>
    runs.every(({ samples }) => (samples.get(threads)?.length ?? 0) > 0),
  );
  if (counts.length === 0) {
    const names = runs.map(({ name }) => name).join(", ");
    throw new RangeError(`expected runs with a thread count in common, found "${names}"`);
  }
  counts.sort(era === 3 ? byText : (a, b) => a - b);
  const rows = STATISTICS[era].flatMap((statistic) =>
    counts.map((threads): MmtestsRow => {
      const columns = runs.map(({ samples }) => [...samples.get(threads)!].sort((a, b) => b - a));
      const base = columns[0]!;
      const cells = columns.map((sorted, i): MmtestsCell => {
        const value = statistic.of(sorted);
        const percent = percentOf(value, statistic.of(base), statistic.spread);
        const significant = i > 0 && statistic.differ?.(base, sorted) === true;
        return { value, percent, significant };
      });
      return { statistic: statistic.name, threads, cells };
    }),
  );
  const columns = runs.map(({ name }) => name);
  return { era, starTest: STAR_TESTS[era], columns, rows };
}

function byText(a: number, b: number): number {
  return String(a) < String(b) ? -1 : 1;
}

function percentOf(value: number, base: number, spread: boolean): number {
  if (base === 0 || value === base) {
    return 0;
  }
  const change = (100 * value) / base - 100;
  return spread ? -change : change;
}

function operation(era: MmtestsEra, threads: number): string {
  return era === 3 ? `files_sec-${threads}` : `${threads}-files/sec`;
}

const widthOf = (era: MmtestsEra): number => (era === 3 ? 18 : 12);
/** Width of " (%7.2f%%)". */
const PERCENT_WIDTH = 11;

/** `%.2f`: C rounds exact ties to even, JavaScript away from zero. */
function fixed(value: number): string {
  const eighths = value * 8;
  if (!Number.isInteger(eighths) || Number.isInteger(value * 4)) {
    return value.toFixed(2);
  }
  const down = Math.floor(value * 100);
  return ((down % 2 === 0 ? down : down + 1) / 100).toFixed(2);
}

/** The table as mmtests prints it, byte for byte, with a final newline. */
export function printTable({ era, columns, rows }: MmtestsTable): string {
  const width = widthOf(era);
  const names = rows.map(({ threads }) => operation(era, threads).length);
  const statistics = Math.max(...rows.map(({ statistic }) => statistic.length));
  const operations = Math.max(...names);
  const pad = " ".repeat(statistics + 1 + operations);
  const halves = columns.map(splitName);
  const head = [0, 1].map(
    (line) =>
      pad + halves.map((half) => half[line as 0 | 1].padStart(width + PERCENT_WIDTH)).join(""),
  );
  const body = rows.map(({ statistic, threads, cells }) => {
    const label = `${statistic.padEnd(statistics)} ${operation(era, threads).padEnd(operations)}`;
    const printed = cells.map(({ value, percent, significant }) => {
      const change = `${fixed(percent).padStart(7)}%`;
      const bracketed = significant ? `*${change}*` : `(${change})`;
      return `${fixed(value).padStart(width)} ${bracketed}`;
    });
    return label + printed.join("");
  });
  return `${[...head, ...body].join("\n")}\n`;
}

/**
 * A name takes two lines: cut at the first dash, or the first after -rcN; without one it is cut
 * oddly.
 */
function splitName(name: string): [string, string] {
  const match = /^([^-]+(?:-rc\d+)?)-(.+)$/.exec(name);
  return match === null ? [name.slice(0, -1), name] : [match[1]!, match[2]!];
}

function joinName(first: string, second: string): string {
  return second.slice(0, -1) === first ? second : `${first}-${second}`;
}

const ROW = new RegExp(
  /^(\S+)\s+(?:(\d+)-files\/sec|files_sec-(\d+))/.source +
    /((?:\s+-?(?:\d+\.\d\d|nan|inf) [(*]\s*-?\d+\.\d\d%[)*])+)$/.source,
  "i",
);
const CELL = /(-?(?:\d+\.\d\d|nan|inf)) ([(*])\s*(-?\d+\.\d\d)%[)*]/gi;

/** True for a row of a table, without mail quotes. */
export function isTableRow(line: string): boolean {
  return ROW.test(line);
}

/** Parses a printed table, also one quoted in mail. Throws ImportError with the line. */
export class MmtestsTableParser implements LineParser<MmtestsTable> {
  readonly #head: string[] = [];
  readonly #rows: MmtestsRow[] = [];
  #underscored = false;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    const words = text.replace(/^(?:> ?)+/, "").trimEnd();
    if (words.trim() === "") {
      return;
    }
    const row = ROW.exec(words);
    if (row === null) {
      if (this.#rows.length > 0 || this.#head.length === 2) {
        const expected = "a row: statistic, operation, value (percent%) ...";
        throw badLine(this.file, number, expected, words);
      }
      this.#head.push(words);
      return;
    }
    const cells = [...row[4]!.matchAll(CELL)].map((cell) => ({
      value: Number(cell[1]),
      percent: Number(cell[3]),
      significant: cell[2] === "*",
    }));
    const columns = this.#rows[0]?.cells.length ?? this.#names().length;
    if (cells.length !== columns) {
      throw badLine(this.file, number, `${columns} columns, as in the header`, words);
    }
    this.#underscored ||= row[3] !== undefined;
    this.#rows.push({ statistic: row[1]!, threads: Number(row[2] ?? row[3]), cells });
  }

  #names(): string[] {
    const [first, second] = this.#head.map((line) => line.trim().split(/\s+/));
    return first === undefined || second === undefined || first.length !== second.length
      ? []
      : first.map((name, i) => joinName(name, second[i]!));
  }

  finish(ending: Ending): MmtestsTable {
    if (this.#rows.length === 0) {
      const found = `none in ${ending.lines} lines`;
      throw new ImportError(this.file, undefined, "an mmtests comparison table", found);
    }
    const has = (name: string): boolean => this.#rows.some(({ statistic }) => statistic === name);
    const era = this.#underscored ? 3 : has("HStddev") ? 2 : 1;
    const known = new Set(MMTESTS_ERAS.flatMap((e) => STATISTICS[e].map(({ name }) => name)));
    const unknown = this.#rows.find(({ statistic }) => !known.has(statistic));
    if (unknown !== undefined) {
      const expected = "statistics of mmtests (Min, Hmean, ...)";
      throw new ImportError(this.file, undefined, expected, unknown.statistic);
    }
    return { era, starTest: STAR_TESTS[era], columns: this.#names(), rows: this.#rows };
  }
}
