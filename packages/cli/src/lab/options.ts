import { RULES, type Rule } from "@jbdlab/core-wasm";
import { InputError } from "./errors.js";
import type { RunResult } from "./result.js";

/** One world to run; everything has a default. What the command's options of the same names say. */
export interface RunOptions {
  /** Any whole number from 0 to 2^32-1; default 1. Same seed, same bytes. */
  readonly seed?: number;
  /** Cleanup rule; default v4. */
  readonly rule?: Rule;
  /** "jbd2" (default), "threshold:low=0.5", "eager-cleanup+threshold" ... */
  readonly policy?: string;
  /** "fsmark" (default), "fsmark,size=16KiB", "journal:<file>", "handles:<file>" ... */
  readonly workload?: string;
  /** "sata-ssd" (default), "nvme,flush=2ms" ... */
  readonly device?: string;
  /** Journal size; default 64MiB. */
  readonly journal?: string;
  /** "default" or "kernel-runs". */
  readonly setting?: string;
  /** Maximum transaction = journal / this. Default: the setting's. */
  readonly maxTransactionDivisor?: 3 | 4;
  /** Cache flush in milliseconds; default: the device's. */
  readonly flushMs?: number;
  /** Handle threads, 1 to 256; default: the workload's. */
  readonly threads?: number;
  /** Default: the setting's. */
  readonly cpus?: number;
  /** Commit interval in seconds; default: the setting's. */
  readonly commitSeconds?: number;
  /** Page cache, a size; default: half of the data that the run writes. */
  readonly memory?: string;
  /**
   * How often the log wraps unless the workload's own parameters say how much it does; default 3.
   */
  readonly wraps?: number;
  /**
   * When the flusher wakes up first; default: where in its period the seed says. After a boot that
   * is 5 s after the first write, whatever the period is set to meanwhile.
   */
  readonly firstWritebackMs?: number;
}

/** The command-line option of each field, in the order in which replay commands print them. */
const FLAGS: readonly (readonly [keyof RunOptions, string])[] = [
  ["rule", "--rule"],
  ["policy", "--policy"],
  ["journal", "--journal"],
  ["seed", "--seed"],
  ["workload", "--workload"],
  ["device", "--device"],
  ["setting", "--setting"],
  ["maxTransactionDivisor", "--max-transaction-divisor"],
  ["flushMs", "--flush-ms"],
  ["threads", "--threads"],
  ["cpus", "--cpus"],
  ["commitSeconds", "--commit-seconds"],
  ["memory", "--memory"],
  ["wraps", "--wraps"],
  ["firstWritebackMs", "--first-writeback-ms"],
];

/** `word` as a POSIX shell takes it. */
export function quote(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

/** Command-line words of the options that are set. */
export function toWords(options: RunOptions, except: readonly (keyof RunOptions)[] = []): string[] {
  return FLAGS.flatMap(([field, flag]) => {
    const value = options[field];
    return value === undefined || except.includes(field) ? [] : [flag, quote(String(value))];
  });
}

/** The one command that repeats a run. */
export function replayRun(options: RunOptions): string {
  return ["npx jbdlab run", ...toWords(options)].join(" ");
}

/** Reads "v4". Throws InputError. */
export function parseRule(text: string): Rule {
  const rule = RULES.find((name) => name === text);
  if (rule === undefined) {
    throw new InputError(
      `unknown rule ${JSON.stringify(text)}; expected one of ${RULES.join(", ")}`,
    );
  }
  return rule;
}

/** Rules that lose acknowledged data, and why; printed whenever one is run. */
export const UNSAFE_RULES: Partial<Readonly<Record<Rule, string>>> = {
  v2: "Linux 6.5 (46f881b5b175) drops rejoined buffers from their old transaction",
  v3: "373ac521799d drops rejoined buffers from their old transaction",
};

/** The warning for an unsafe rule; undefined for a safe one. */
export function unsafeWarning(rule: Rule): string | undefined {
  const why = UNSAFE_RULES[rule];
  return why === undefined
    ? undefined
    : `warning: rule ${rule} is unsafe: ${why}; ` +
        "a power cut inside a loss window loses acknowledged data";
}

/** What a kernel version means: its cleanup rule and its maximum transaction. Throws InputError. */
export function parseKernel(text: string): { rule: Rule; maxTransactionDivisor: 3 | 4 } {
  const match = /^v?(\d+)\.(\d+)(\.\d+)*(-rc\d*)?$/.exec(text);
  if (match === null) {
    throw new InputError(
      `--kernel: expected a version such as 6.12, found ${JSON.stringify(text)}`,
    );
  }
  const version = Number(match[1]) * 1000 + Number(match[2]);
  const rule =
    version <= 6004 ? "v0" : version > 6005 ? "v4" : match[4] === undefined ? "v2" : "v1";
  return { rule, maxTransactionDivisor: version >= 6011 ? 3 : 4 };
}

/** Runs are told apart by everything but how long they took. */
export function withoutWallTime(run: RunResult): Omit<RunResult, "wallMs"> {
  const { wallMs: _, ...rest } = run;
  return rest;
}
