import { meanOnly } from "./distribution.js";
import { ImportError } from "./import-error.js";
import { badLine, type Ending, type LineParser, parseFileSync } from "./lines.js";
import type { CommitPhase, Measurements } from "./measurements.js";
import { NOTHING } from "./measurements.js";

/** One print of /proc/fs/jbd2/<dev>/info. Means are over all transactions since the mount. */
export interface ProcInfo {
  /** Line of its header, from 1. */
  readonly line: number;
  readonly transactions: number;
  /** Transactions that a task asked for; undefined on kernels that do not tell. */
  readonly requested: number | undefined;
  readonly maxTransactionBlocks: number;
  /** Means, milliseconds (jiffies: steps of 1, 4 or 10 ms); empty before the first commit. */
  readonly meansMs: Readonly<Partial<Record<CommitPhase, number>>>;
  /** Mean commit time, microseconds: a decaying average, not one over all transactions. */
  readonly commitUs: number | undefined;
  readonly handlesPerTransaction: number | undefined;
  readonly blocksPerTransaction: number | undefined;
  readonly loggedPerTransaction: number | undefined;
}

export interface ProcInfoFile {
  readonly file: string;
  /** Prints in the file, in order. */
  readonly prints: readonly ProcInfo[];
  /**
   * Smallest step of the times, ms: 1, 4 or 10 with HZ 1000, 250 or 100; undefined when all are
   * 0.
   */
  readonly stepMs: number | undefined;
  readonly consumed: string;
}

const HEADER =
  /^(\d{1,10}) transactions?(?: \((\d{1,10}) requested\))?, each up to (\d{1,10}) blocks$/;
const MEAN = /^(\d{1,10})(ms|us)? (.+)$/;

/** Lines after `average:`; the unit is part of the format. */
const ROWS: ReadonlyMap<string, { unit: string; key: string }> = new Map([
  ["waiting for transaction", { unit: "ms", key: "wait" }],
  ["request delay", { unit: "ms", key: "requestDelay" }],
  ["running transaction", { unit: "ms", key: "running" }],
  ["transaction was being locked", { unit: "ms", key: "locked" }],
  ["flushing data (in ordered mode)", { unit: "ms", key: "flushing" }],
  ["logging transaction", { unit: "ms", key: "logging" }],
  ["average transaction commit time", { unit: "us", key: "commit" }],
  ["handles per transaction", { unit: "", key: "handles" }],
  ["blocks per transaction", { unit: "", key: "blocks" }],
  ["logged blocks per transaction", { unit: "", key: "logged" }],
]);
const PHASE_KEYS = ["wait", "requestDelay", "running", "locked", "flushing", "logging"] as const;
const OPTIONAL = new Set(["requestDelay", "commit"]);

/** True for the first line of a print, without mail quotes. */
export function isProcInfoHeader(line: string): boolean {
  return HEADER.test(line);
}

interface Open {
  line: number;
  header: RegExpExecArray;
  average: boolean;
  rows: Map<string, number>;
}

/**
 * Parses prints of /proc/fs/jbd2/<dev>/info: old (`N transaction, each up to M blocks`, no
 * request delay) and new, several in a file, quoted as in mail. Throws ImportError with the line
 * on anything else.
 */
export class ProcInfoParser implements LineParser<ProcInfoFile> {
  readonly #prints: ProcInfo[] = [];
  #open: Open | undefined;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    const words = text.replace(/^(?:\s*>)*/, "").trim();
    if (words === "") {
      return;
    }
    const header = HEADER.exec(words);
    if (header !== null) {
      this.#close(number);
      this.#open = { line: number, header, average: false, rows: new Map() };
      return;
    }
    if (this.#open === undefined) {
      const expected = "N transactions (R requested), each up to M blocks";
      throw badLine(this.file, number, expected, words);
    }
    if (/^average:$/.test(words)) {
      this.#open.average = true;
      return;
    }
    this.#row(this.#open, words, number);
  }

  #row(open: Open, words: string, number: number): void {
    const match = MEAN.exec(words);
    const row = match === null ? undefined : ROWS.get(match[3]!);
    const unit = match?.[2] ?? "";
    if (match === null || row === undefined || row.unit !== unit || !open.average) {
      const expected = open.average ? "a mean of /proc/fs/jbd2/<dev>/info" : "average:";
      throw badLine(this.file, number, expected, words);
    }
    if (open.rows.has(row.key)) {
      throw badLine(this.file, number, `one line of "${match[3]}" in a print`, words);
    }
    open.rows.set(row.key, Number(match[1]));
  }

  #close(number: number): void {
    const open = this.#open;
    this.#open = undefined;
    if (open === undefined) {
      return;
    }
    const transactions = Number(open.header[1]);
    const missing = [...ROWS].find(([, { key }]) => !open.rows.has(key) && !OPTIONAL.has(key));
    // Before the first commit the kernel prints the header only.
    if (missing !== undefined && (open.average || transactions > 0)) {
      const found = "the end of the print";
      throw new ImportError(this.file, { line: number }, `a line "N ${missing[0]}"`, found);
    }
    const { rows } = open;
    const means = PHASE_KEYS.flatMap((key) => (rows.has(key) ? [[key, rows.get(key)!]] : []));
    this.#prints.push({
      line: open.line,
      transactions,
      requested: open.header[2] === undefined ? undefined : Number(open.header[2]),
      maxTransactionBlocks: Number(open.header[3]),
      meansMs: Object.fromEntries(means),
      commitUs: rows.get("commit"),
      handlesPerTransaction: rows.get("handles"),
      blocksPerTransaction: rows.get("blocks"),
      loggedPerTransaction: rows.get("logged"),
    });
  }

  finish(ending: Ending): ProcInfoFile {
    this.#close(ending.lines);
    const n = this.#prints.length;
    if (n === 0) {
      const expected = "N transactions (R requested), each up to M blocks";
      throw new ImportError(this.file, undefined, expected, `none in ${ending.lines} lines`);
    }
    const values = this.#prints.flatMap(({ meansMs }) => Object.values(meansMs));
    return {
      file: this.file,
      prints: this.#prints,
      stepMs: stepOf(values),
      consumed: `consumed ${n} of ${n} prints`,
    };
  }
}

/** Reads a file of such prints, plain or gzip. */
export function readProcInfo(file: string): ProcInfoFile {
  return parseFileSync(file, new ProcInfoParser(file));
}

function stepOf(values: readonly number[]): number | undefined {
  const gcd = (a: number, b: number): number => (b === 0 ? a : gcd(b, a % b));
  const step = values.reduce(gcd, 0);
  return step === 0 ? undefined : [10, 4, 1].find((hz) => step % hz === 0);
}

/**
 * What happened between two prints of one journal: differences of count x mean. The means are
 * cut to whole units, so each figure is exact to (later count / difference) units. Throws
 * RangeError when `later` is not later or belongs to another journal.
 */
export function procInfoDifference(earlier: ProcInfo, later: ProcInfo): ProcInfo {
  const transactions = later.transactions - earlier.transactions;
  if (transactions <= 0 || later.maxTransactionBlocks !== earlier.maxTransactionBlocks) {
    const counts = `${earlier.transactions}, then ${later.transactions} transactions`;
    throw new RangeError(`expected two prints of one journal, the later second, found ${counts}`);
  }
  const between = (a: number | undefined, b: number | undefined): number | undefined =>
    b === undefined
      ? undefined
      : (b * later.transactions - (a ?? 0) * earlier.transactions) / transactions;
  const means = PHASE_KEYS.flatMap((key) => {
    const mean = between(earlier.meansMs[key], later.meansMs[key]);
    return mean === undefined ? [] : [[key, Math.max(0, mean)]];
  });
  return {
    line: later.line,
    transactions,
    requested:
      later.requested === undefined ? undefined : later.requested - (earlier.requested ?? 0),
    maxTransactionBlocks: later.maxTransactionBlocks,
    meansMs: Object.fromEntries(means),
    commitUs: later.commitUs,
    handlesPerTransaction: between(earlier.handlesPerTransaction, later.handlesPerTransaction),
    blocksPerTransaction: between(earlier.blocksPerTransaction, later.blocksPerTransaction),
    loggedPerTransaction: between(earlier.loggedPerTransaction, later.loggedPerTransaction),
  };
}

/**
 * A print as measurements. A waiting time of 0 is unknown: kernels without CONFIG_JBD2_DEBUG do
 * not measure it.
 */
export function procInfoMeasurements(info: ProcInfo): Measurements {
  const n = info.transactions;
  const mean = (value: number | undefined): ReturnType<typeof meanOnly> | undefined =>
    value === undefined ? undefined : meanOnly(n, value);
  const phases = Object.entries(info.meansMs)
    .filter(([phase, ms]) => phase !== "wait" || ms > 0)
    .map(([phase, ms]) => [phase, meanOnly(n, ms)]);
  return {
    ...NOTHING,
    commits: n,
    maxTransactionBlocks: info.maxTransactionBlocks,
    handlesPerTransaction: mean(info.handlesPerTransaction),
    blocksPerTransaction: mean(info.blocksPerTransaction),
    loggedPerTransaction: mean(info.loggedPerTransaction),
    phasesMs: Object.fromEntries(phases),
    commitMs: info.commitUs === undefined ? undefined : meanOnly(n, info.commitUs / 1000),
  };
}
