import { Command } from "commander";
import { rowName } from "../lab/cells.js";
import { Exit, InputError } from "../lab/errors.js";
import { parseRule, type RunOptions, unsafeWarning } from "../lab/options.js";
import { resume } from "../lab/resume.js";
import {
  parseShard,
  runsOfShard,
  type Shard,
  type ShardFile,
  shardName,
  writable,
} from "../lab/shard.js";
import { Store } from "../lab/store.js";
import {
  DEFAULT_JOURNALS,
  DEFAULT_ROWS,
  parseRow,
  planSweep,
  runPlan,
  type SweepOptions,
  type SweepPlan,
} from "../lab/sweep.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { parseWhole } from "../lab/units.js";
import { VERSION } from "../lab/version.js";
import { mailText } from "../report/mail-text.js";
import { sweepText } from "../report/sweep-text.js";
import { writeReport } from "../report/write.js";
import { watchInterrupts } from "./interrupt.js";
import { splitList } from "./lists.js";
import { showProgress } from "./progress-bar.js";
import { terminal } from "./terminal.js";
import {
  addWorldOptions,
  defined,
  EXIT_CODES,
  parseSeeds,
  readWorldFlags,
  type WorldFlags,
} from "./world-options.js";

interface SweepFlags extends WorldFlags {
  row?: string[];
  rule?: string[];
  policy?: string[];
  journal?: string;
  seeds?: string;
  base?: string;
  workers?: string;
  out: string;
  resume?: boolean;
  json?: boolean;
  ascii?: boolean;
  mail?: boolean;
  shard?: string;
}

const EXAMPLES = `
Examples:
  jbdlab sweep                                    the default comparison, 4MiB to 256MiB
  jbdlab sweep --rule v3,v4 --policy jbd2,threshold:low=0.25,eager-cleanup --journal 8MiB,16MiB
  jbdlab sweep --row v4/jbd2 --row v4/threshold:low=0.75 --base v4/jbd2 --device nvme
  jbdlab sweep --workload journal:dump.journal.gz --journal 4MiB..64MiB
  jbdlab sweep --resume                           goes on where an interrupted sweep stopped
`;

const DESCRIPTION = `run journal sizes x rules x policies x seeds and compare

Default rows: ${DEFAULT_ROWS.join(", ")}.`;

const collect = (value: string, before: string[] = []) => [...before, value];

/** `jbdlab sweep`: many worlds, compared. */
export function sweepCommand(): Command {
  return addWorldOptions(
    new Command("sweep")
      .description(DESCRIPTION)
      .option("--row <rule/policy>", "one row, may be repeated; or --rule and --policy", collect)
      .option("--rule <rules>", "cleanup rules, every one with every policy", collect)
      .option("--policy <policies>", "checkpoint policies", collect)
      .option(
        "--journal <sizes>",
        `a range of powers of two or a list (default: ${DEFAULT_JOURNALS})`,
      )
      .option("--seeds <n>", "seeds 1 to n, or list:7,9 (default: 3)")
      .option("--base <rule/policy>", "the row that gaps refer to (default: the first)"),
  )
    .option("--workers <n>", "worker threads; results do not depend on it (default: CPUs)")
    .option("--out <folder>", "where the report goes", "jbdlab-report")
    .option("--resume", "take over the runs that an interrupted sweep left in the folder")
    .option("--shard <i/n>", "only this part of the runs, for merge; auto in a Slurm array")
    .option("--json", "the result as one JSON object on standard output instead of the report")
    .option("--mail", "the report as plain text for a mailing list: ASCII, 72 columns")
    .option("--ascii", "no characters beyond ASCII")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (flags: SweepFlags) => {
      process.exitCode = await runSweep(flags);
    });
}

function rowsOf(flags: SweepFlags, kernelRule: RunOptions["rule"]): string[] | undefined {
  if (flags.row !== undefined) {
    if (flags.rule !== undefined || flags.policy !== undefined) {
      throw new InputError("expected either --row or --rule and --policy, found both");
    }
    return splitList(flags.row);
  }
  if (flags.rule === undefined && flags.policy === undefined && kernelRule === undefined) {
    return undefined;
  }
  const rules = splitList(flags.rule ?? [kernelRule ?? "v4"]).map(parseRule);
  const policies = splitList(flags.policy ?? ["jbd2"]);
  return rules.flatMap((rule) => policies.map((policy) => rowName({ rule, policy })));
}

function readSweepFlags(flags: SweepFlags): SweepOptions {
  const { rule, ...world } = readWorldFlags(flags);
  return {
    ...world,
    ...defined({
      rows: rowsOf(flags, rule),
      journal: flags.journal,
      seeds: flags.seeds === undefined ? undefined : parseSeeds(flags.seeds),
      base: flags.base,
      workers:
        flags.workers === undefined ? undefined : parseWhole(flags.workers, "--workers", 1, 256),
    }),
  };
}

async function runSweep(flags: SweepFlags): Promise<number> {
  const options = readSweepFlags(flags);
  const plan = await planSweep(options);
  warn(plan.rows);
  const shard = flags.shard === undefined ? undefined : parseShard(flags.shard);
  const earlier = flags.resume ? await resume(flags.out, plan) : { runs: [], files: [] };
  const store = new Store(flags.out);
  for (const run of earlier.runs) store.append(run);
  const interrupts = watchInterrupts();
  const progress = await showProgress();
  let result: SweepResult;
  try {
    result = await runPlan(plan, {
      ...options,
      finished: earlier.runs,
      signal: interrupts.signal,
      onRun: (run) => store.append(run),
      onProgress: progress.update,
      ...(shard === undefined ? {} : { only: runsOfShard(plan, shard) }),
    });
  } finally {
    progress.end();
    interrupts.end();
  }
  if (shard !== undefined) return keepShard(store, shard, plan, options, result);
  if (result.runsDone > 0) {
    await writeReport(store, result);
    process.stdout.write(shown(result, flags, store.folder));
  }
  for (const { message, replay } of result.failures) {
    process.stderr.write(`error: ${message}\nreplay: ${replay}\n`);
  }
  if (result.complete) store.finish(earlier.files);
  else if (result.runsDone === 0) store.finish();
  else
    process.stderr.write(`finished runs are kept in ${store.leave()}; --resume takes them over\n`);
  return exitCode(result, interrupts.exitCode());
}

/** Leaves the shard's runs for merge; an interrupted shard is left for --resume. */
function keepShard(
  store: Store,
  shard: Shard,
  plan: SweepPlan,
  options: SweepOptions,
  result: SweepResult,
): number {
  for (const { message, replay } of result.failures) {
    process.stderr.write(`error: ${message}\nreplay: ${replay}\n`);
  }
  if (result.runsDone < runsOfShard(plan, shard).length) {
    process.stderr.write(`finished runs are kept in ${store.leave()}; --resume takes them over\n`);
    return result.failures.length > 0 ? Exit.Internal : Exit.Interrupted;
  }
  const runs = result.cells.flatMap((cell) => cell.runs);
  const file: ShardFile = {
    format: "jbdlab-shard-1",
    version: VERSION,
    ...shard,
    options: writable(options),
    runs,
  };
  store.write(shardName(shard), `${JSON.stringify(file)}\n`);
  store.finish();
  const { index, count } = shard;
  process.stdout.write(
    `shard ${index}/${count}: ${runs.length} runs in ${store.folder}/${shardName(shard)}\n`,
  );
  return Exit.Ok;
}

function shown(result: SweepResult, flags: SweepFlags, folder: string): string {
  if (flags.json) return `${JSON.stringify(result, null, 2)}\n`;
  return flags.mail ? mailText(result) : sweepText(result, terminal(flags), folder);
}

function warn(rows: readonly string[]): void {
  for (const rule of new Set(rows.map((row) => parseRow(row).rule))) {
    const warning = unsafeWarning(rule);
    if (warning !== undefined) process.stderr.write(`${warning}\n`);
  }
}

function exitCode(result: SweepResult, interrupted: number | undefined): number {
  if (interrupted !== undefined && !result.complete) return interrupted;
  if (result.failures.length === 0) return Exit.Ok;
  return result.failures.every((failure) => failure.badInput) ? Exit.BadInput : Exit.Internal;
}
