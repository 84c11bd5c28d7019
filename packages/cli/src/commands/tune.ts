import { Command } from "commander";
import { parseWhole } from "../lab/units.js";
import { watchInterrupts } from "./interrupt.js";
import { showProgress } from "./progress-bar.js";
import {
  addWorldOptions,
  defined,
  EXIT_CODES,
  readWorldFlags,
  type WorldFlags,
} from "./world-options.js";

interface TuneFlags extends WorldFlags {
  journal?: string;
  candidates?: string;
  seed?: string;
  workers?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab tune threshold --journal 8MiB,32MiB
  jbdlab tune adaptive --device nvme --candidates 60
  jbdlab tune ail-push --profile machine.json --json
`;

/** `jbdlab tune`: a policy's parameters. */
export function tuneCommand(): Command {
  return addWorldOptions(
    new Command("tune")
      .description("search a policy's parameters: gain, waits, writes, recovery; front and knee")
      .argument("<policy>", "a built-in policy with parameters")
      .option("--journal <sizes>", "sizes to be good at (default: 64MiB)")
      .option("--candidates <n>", "sets of parameters of the first round (default: 18)")
      .option("--seed <n>", "which parameters are tried; same seed, same result (default: 1)"),
  )
    .option("--workers <n>", "worker threads; results do not depend on it (default: CPUs)")
    .option("--json", "one JSON object on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (policy: string, flags: TuneFlags) => {
      const { tune } = await import("../lab/tune.js");
      const { tuningText } = await import("../report/tuning-text.js");
      const { rule: _, ...world } = readWorldFlags(flags);
      const whole = (value: string | undefined, what: string, max: number) =>
        value === undefined ? undefined : parseWhole(value, what, what === "--seed" ? 0 : 1, max);
      const interrupts = watchInterrupts();
      const progress = await showProgress();
      const tuning = await tune(policy, {
        ...world,
        ...defined({
          journal: flags.journal,
          candidates: whole(flags.candidates, "--candidates", 1000),
          tuneSeed: whole(flags.seed, "--seed", 0xffffffff),
          workers: whole(flags.workers, "--workers", 256),
        }),
        signal: interrupts.signal,
        onProgress: progress.update,
      }).finally(() => {
        progress.end();
        interrupts.end();
      });
      process.stdout.write(
        flags.json ? `${JSON.stringify(tuning, null, 2)}\n` : tuningText(tuning),
      );
    });
}
