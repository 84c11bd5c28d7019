import { type Command, Option } from "commander";
import { readProfile } from "../lab/calibrate/profile.js";
import { Exit, InputError } from "../lab/errors.js";
import { parseKernel, type RunOptions } from "../lab/options.js";
import { parseNumber, parseWhole } from "../lab/units.js";

/** What commander gives for the options that `run` and `sweep` share. */
export interface WorldFlags {
  profile?: string;
  workload?: string;
  device?: string;
  setting?: string;
  kernel?: string;
  maxTransactionDivisor?: string;
  flushMs?: string;
  threads?: string;
  cpus?: string;
  commitSeconds?: string;
  memory?: string;
  wraps?: string;
  firstWritebackMs?: string;
}

/** Adds the options of a world. */
export function addWorldOptions(command: Command): Command {
  return command
    .option("--profile <file>", "device and workload that calibrate wrote; other options override")
    .option("--workload <name,key=value>", "what the handles do, or journal:<file>, handles:<file>")
    .option("--device <name,key=value>", "block device profile")
    .option("--setting <name>", "default, or kernel-runs: the world of the reference kernel runs")
    .option("--kernel <version>", "maximum transaction and cleanup rule of a kernel, e.g. 6.12")
    .addOption(
      new Option("--max-transaction-divisor <n>", "maximum transaction = journal / n").choices([
        "3",
        "4",
      ]),
    )
    .option("--flush-ms <ms>", "time of a cache flush")
    .option("--threads <n>", "handle threads, 1 to 256")
    .option("--cpus <n>", "CPUs, 1 to 256")
    .option("--commit-seconds <s>", "commit interval")
    .option("--memory <size>", "page cache; default: half of the data that the run writes")
    .option("--wraps <n>", "times the log wraps, unless the workload says how much it does")
    .option("--first-writeback-ms <ms>", "the flusher's first wake-up; default: the seed says");
}

const DAY = 86400;

/** The shared options as RunOptions. Throws InputError. */
export function readWorldFlags(flags: WorldFlags): RunOptions & { rule?: RunOptions["rule"] } {
  const kernel = flags.kernel === undefined ? undefined : parseKernel(flags.kernel);
  const divisor =
    flags.maxTransactionDivisor === undefined
      ? kernel?.maxTransactionDivisor
      : flags.maxTransactionDivisor === "3"
        ? 3
        : 4;
  const whole = (value: string | undefined, what: string, min: number, max: number) =>
    value === undefined ? undefined : parseWhole(value, what, min, max);
  const number = (value: string | undefined, what: string, min: number, max: number) =>
    value === undefined ? undefined : parseNumber(value, what, min, max);
  const profile = flags.profile === undefined ? {} : readProfile(flags.profile);
  const given = defined({
    rule: kernel?.rule,
    workload: flags.workload,
    device: flags.device,
    setting: flags.setting,
    maxTransactionDivisor: divisor,
    flushMs: number(flags.flushMs, "--flush-ms", 0, 60000),
    threads: whole(flags.threads, "--threads", 1, 256),
    cpus: whole(flags.cpus, "--cpus", 1, 256),
    commitSeconds: number(flags.commitSeconds, "--commit-seconds", 0.001, DAY),
    memory: flags.memory,
    wraps: whole(flags.wraps, "--wraps", 1, 1000),
    firstWritebackMs: number(flags.firstWritebackMs, "--first-writeback-ms", 0, DAY * 1000),
  });
  return { ...profile, ...given };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Without the keys whose value is undefined. */
export function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(
    Object.entries(values).filter(([, value]) => value !== undefined),
  ) as Defined<T>;
}

/**
 * Seeds of "3" (1, 2, 3) or "list:7,9"; spelled out so that a single number stays a count. Throws
 * InputError.
 */
export function parseSeeds(text: string): number[] {
  const list = /^list:(.*)$/.exec(text)?.[1];
  if (list === undefined) {
    return Array.from({ length: parseWhole(text, "--seeds", 1, 1000) }, (_, i) => i + 1);
  }
  const seeds = list.split(",").map((seed) => parseWhole(seed, "--seeds", 0, 0xffffffff));
  if (new Set(seeds).size !== seeds.length) throw new InputError(`--seeds ${text}: a seed repeats`);
  return seeds;
}

/** Text for help: what the command ends with. */
export const EXIT_CODES = `
Exit codes: ${Exit.Ok} done, ${Exit.BadInput} bad input, ${Exit.Interrupted} after Ctrl-C,
${Exit.Internal} internal error.
`;
