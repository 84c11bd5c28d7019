import { Command } from "commander";
import { InputError } from "../lab/errors.js";
import { parseWhole } from "../lab/units.js";
import { watchInterrupts } from "./interrupt.js";
import { splitList } from "./lists.js";
import { showProgress } from "./progress-bar.js";
import {
  addWorldOptions,
  defined,
  EXIT_CODES,
  parseSeeds,
  readWorldFlags,
  type WorldFlags,
} from "./world-options.js";

interface ExplainFlags extends WorldFlags {
  row?: string[];
  journal?: string;
  seeds?: string;
  workers?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab explain                                    v4 against v3 at the worst default size
  jbdlab explain --journal 8MiB --device nvme
  jbdlab explain --row v4/infinite-log --row v4/jbd2    a row against its ceiling
`;

const collect = (value: string, before: string[] = []) => [...before, value];

/** `jbdlab explain`: what the difference between two rows consists of. */
export function explainCommand(): Command {
  return addWorldOptions(
    new Command("explain")
      .description("say why one row is slower than another: waits by class, in points of the gap")
      .option(
        "--row <rule/policy>",
        "the faster row, then the slower (default: v3/jbd2, v4/jbd2)",
        collect,
      )
      .option("--journal <sizes>", "sizes; the worst is explained (default: 4MiB..256MiB)")
      .option("--seeds <n>", "seeds 1 to n, or list:7,9 (default: 3)"),
  )
    .option("--workers <n>", "worker threads; results do not depend on it (default: CPUs)")
    .option("--json", "one JSON object on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (flags: ExplainFlags) => {
      const { explain } = await import("../lab/explain.js");
      const { explanationText } = await import("../report/explanation-text.js");
      const { rule: _, ...world } = readWorldFlags(flags);
      const [baseRow, row, ...more] = flags.row === undefined ? [] : splitList(flags.row);
      if (flags.row !== undefined && (row === undefined || more.length > 0)) {
        throw new InputError(`--row: expected two rows, found ${splitList(flags.row).length}`);
      }
      const interrupts = watchInterrupts();
      const progress = await showProgress();
      const explanation = await explain({
        ...world,
        ...defined({
          baseRow,
          row,
          journal: flags.journal,
          seeds: flags.seeds === undefined ? undefined : parseSeeds(flags.seeds),
          workers:
            flags.workers === undefined
              ? undefined
              : parseWhole(flags.workers, "--workers", 1, 256),
        }),
        signal: interrupts.signal,
        onProgress: progress.update,
      }).finally(() => {
        progress.end();
        interrupts.end();
      });
      process.stdout.write(
        flags.json ? `${JSON.stringify(explanation, null, 2)}\n` : explanationText(explanation),
      );
    });
}
