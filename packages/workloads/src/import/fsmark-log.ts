import { ImportError } from "./import-error.js";
import { badLine, type Ending, type LineParser, parseFileSync } from "./lines.js";

/** Shortest, mean and longest time of a system call, microseconds. */
export interface CallTimes {
  readonly minUs: number;
  readonly meanUs: number;
  readonly maxUs: number;
}

export const FSMARK_CALLS = ["creat", "write", "fsync", "sync", "close", "unlink"] as const;
export type FsMarkCall = (typeof FSMARK_CALLS)[number];

/** One iteration as fs_mark prints it. */
export interface FsMarkSample {
  readonly line: number;
  /** Percent of the file system used. */
  readonly usedPercent: number;
  readonly files: number;
  readonly sizeBytes: number;
  readonly filesPerSecond: number;
  /** Time outside the measured system calls, summed over threads, microseconds. */
  readonly overheadUs: number;
  /** Only with -v. */
  readonly calls: Readonly<Record<FsMarkCall, CallTimes>> | undefined;
}

/** The command line in a log's comment. */
export interface FsMarkCommand {
  readonly threads: number;
  readonly filesPerIteration: number | undefined;
  readonly sizeBytes: number | undefined;
  readonly directories: number | undefined;
  readonly filesPerDirectory: number | undefined;
  readonly syncMode: number | undefined;
  readonly iterations: number | undefined;
}

export interface FsMarkLog {
  readonly file: string;
  readonly samples: readonly FsMarkSample[];
  /** Of the last comment that shows one. */
  readonly command: FsMarkCommand | undefined;
  readonly version: string | undefined;
  /** The first sample is more than twice, or less than half, the median of the others. */
  readonly firstIsOutlier: boolean;
  readonly consumed: string;
}

const HEADER =
  /^FSUse%\s+Count\s+Size\s+Files\/sec\s+App Overhead(\s+CREAT .*UNLINK \(Min\/Avg\/Max\))?$/;
const NUMBER = /^\d{1,18}(?:\.\d+)?$/;
const PLAIN_COLUMNS = 5;
const VERBOSE_COLUMNS = PLAIN_COLUMNS + 3 * FSMARK_CALLS.length;

/**
 * Parses fs_mark's output (3.3, with or without -v; the header may repeat). Throws ImportError
 * with the line.
 */
export class FsMarkParser implements LineParser<FsMarkLog> {
  readonly #samples: FsMarkSample[] = [];
  #columns = 0;
  #command: FsMarkCommand | undefined;
  #version: string | undefined;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    const words = text.trim();
    if (words === "") {
      return;
    }
    if (words.startsWith("#")) {
      this.#comment(words);
      return;
    }
    const header = HEADER.exec(words);
    if (header !== null) {
      this.#columns = header[1] === undefined ? PLAIN_COLUMNS : VERBOSE_COLUMNS;
      return;
    }
    if (this.#columns === 0) {
      const expected = "the header FSUse% Count Size Files/sec App Overhead";
      throw badLine(this.file, number, expected, words);
    }
    const cells = words.split(/\s+/);
    if (cells.length !== this.#columns || !cells.every((cell) => NUMBER.test(cell))) {
      throw badLine(this.file, number, `a sample of ${this.#columns} numbers`, words);
    }
    this.#samples.push(sampleOf(number, cells.map(Number)));
  }

  #comment(words: string): void {
    if (/^#\s+\S*fs_mark\b/.test(words)) {
      this.#command = commandOf(words.replace(/^#\s+/, "").split(/\s+/));
    }
    this.#version = /\bVersion (\S+),/.exec(words)?.[1] ?? this.#version;
  }

  finish(ending: Ending): FsMarkLog {
    const n = this.#samples.length;
    if (n === 0) {
      const found = `none in ${ending.lines} lines`;
      throw new ImportError(this.file, undefined, "at least one fs_mark sample", found);
    }
    return {
      file: this.file,
      samples: this.#samples,
      command: this.#command,
      version: this.#version,
      firstIsOutlier: isOutlier(this.#samples.map(({ filesPerSecond }) => filesPerSecond)),
      consumed: `consumed ${n} of ${n} samples`,
    };
  }
}

/** Reads an fs_mark log, plain or gzip. */
export function readFsMarkLog(file: string): FsMarkLog {
  return parseFileSync(file, new FsMarkParser(file));
}

function sampleOf(line: number, n: readonly number[]): FsMarkSample {
  const calls = FSMARK_CALLS.map((call, i) => {
    const at = PLAIN_COLUMNS + 3 * i;
    return [call, { minUs: n[at]!, meanUs: n[at + 1]!, maxUs: n[at + 2]! }] as const;
  });
  return {
    line,
    usedPercent: n[0]!,
    files: n[1]!,
    sizeBytes: n[2]!,
    filesPerSecond: n[3]!,
    overheadUs: n[4]!,
    calls:
      n.length === PLAIN_COLUMNS
        ? undefined
        : (Object.fromEntries(calls) as Record<FsMarkCall, CallTimes>),
  };
}

/** fs_mark prints its arguments between two blanks each; `-S0` and `-S 0` are the same. */
function commandOf(words: readonly string[]): FsMarkCommand {
  const values = new Map<string, number>();
  let directories = 0;
  for (let i = 1; i < words.length; i++) {
    const match = /^-([a-zA-Z])(\d*)$/.exec(words[i]!);
    if (match === null) {
      continue;
    }
    const value = match[2] === "" ? words[i + 1] : match[2];
    directories += match[1] === "d" ? 1 : 0;
    if (value !== undefined && /^\d{1,15}$/.test(value)) {
      values.set(match[1]!, Number(value));
    }
  }
  return {
    // fs_mark starts at least one thread for each -d.
    threads: Math.max(values.get("t") ?? 1, directories),
    filesPerIteration: values.get("n"),
    sizeBytes: values.get("s"),
    directories: values.get("D"),
    filesPerDirectory: values.get("N"),
    syncMode: values.get("S"),
    iterations: values.get("L"),
  };
}

function isOutlier(values: readonly number[]): boolean {
  const [first, ...others] = values;
  if (first === undefined || others.length < 4) {
    return false;
  }
  const median = others.sort((a, b) => a - b)[others.length >> 1]!;
  return first > 2 * median || first < median / 2;
}
