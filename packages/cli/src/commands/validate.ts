import { Command } from "commander";
import { Exit, InputError } from "../lab/errors.js";
import { parseWhole } from "../lab/units.js";
import { watchInterrupts } from "./interrupt.js";
import { showProgress } from "./progress-bar.js";
import { EXIT_CODES, parseSeeds } from "./world-options.js";

interface ValidateFlags {
  runs?: string[];
  only?: string;
  seeds?: string;
  workers?: string;
  json?: boolean;
  check?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab validate                          all reference runs, about a minute
  jbdlab validate --only v4                the runs whose name contains v4 (and the v3 beside them)
  jbdlab validate --runs mine.csv --json   your own measurements in the same schema
  jbdlab validate --check                  exit code 1 when a figure is outside its tolerance
`;

const collect = (value: string, before: string[] = []) => [...before, value];

/** `jbdlab validate`: real runs beside their simulation. */
export function validateCommand(): Command {
  return new Command("validate")
    .description("simulate runs of real kernels in their setting: measured, simulated, error")
    .option("--runs <file.csv>", "runs in the schema of the reference kernel runs", collect)
    .option("--only <text>", "only runs whose name contains this, and the v3 runs beside them")
    .option("--seeds <n>", "seeds 1 to n, or list:7,9 (default: 12)")
    .option("--workers <n>", "worker threads; results do not depend on it (default: CPUs)")
    .option("--json", "one JSON object on standard output: rows[] of measured, simulated, error")
    .option("--check", "exit code 1 when a figure is outside its tolerance")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (flags: ValidateFlags) => {
      process.exitCode = await runValidate(flags);
    });
}

async function runValidate(flags: ValidateFlags): Promise<number> {
  const { readRuns, referenceRuns } = await import("../lab/validate/reference.js");
  const { selectRuns, validate } = await import("../lab/validate/validate.js");
  const all = flags.runs === undefined ? referenceRuns() : flags.runs.flatMap(readRuns);
  const runs = selectRuns(all, flags.only);
  if (runs.length === 0) {
    const names = all.map((each) => each.run).join(", ");
    throw new InputError(`--only ${flags.only}: expected part of one of ${names}`);
  }
  const interrupts = watchInterrupts();
  const progress = await showProgress();
  const options = {
    runs,
    signal: interrupts.signal,
    onProgress: progress.update,
    ...(flags.seeds === undefined ? {} : { seeds: parseSeeds(flags.seeds) }),
    ...(flags.workers === undefined
      ? {}
      : { workers: parseWhole(flags.workers, "--workers", 1, 256) }),
  };
  const validation = await validate(options).finally(() => {
    progress.end();
    interrupts.end();
  });
  const { validationText } = await import("../report/validation-text.js");
  process.stdout.write(
    flags.json ? `${JSON.stringify(validation, null, 2)}\n` : validationText(validation),
  );
  for (const { message, replay } of validation.failures) {
    process.stderr.write(`error: ${message}\nreplay: ${replay}\n`);
  }
  const interrupted = interrupts.exitCode();
  if (interrupted !== undefined && !validation.complete) return interrupted;
  if (validation.failures.length > 0) return Exit.Internal;
  const missed = validation.rows.some((row) => row.misses.length > 0);
  return flags.check && missed ? Exit.Internal : Exit.Ok;
}
