import { Command } from "commander";
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

interface RecommendFlags extends WorldFlags {
  journal?: string;
  policy?: string[];
  seeds?: string;
  workers?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab recommend --journal 16MiB,64MiB
  jbdlab recommend --profile machine.json
  jbdlab recommend --device nvme --workload mail-spool --policy adaptive,ail-push
`;

const collect = (value: string, before: string[] = []) => [...before, value];

/** `jbdlab recommend`: which safe policy, and what it costs. */
export function recommendCommand(): Command {
  return addWorldOptions(
    new Command("recommend")
      .description(
        "say which safe policy wins back most of what the unsafe kernel had, and its price",
      )
      .option("--journal <sizes>", "sizes (default: 64MiB)")
      .option("--policy <policies>", "candidates (default: a choice of the built-in ones)", collect)
      .option("--seeds <n>", "seeds 1 to n, or list:7,9 (default: 3)"),
  )
    .option("--workers <n>", "worker threads; results do not depend on it (default: CPUs)")
    .option("--json", "one JSON object on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (flags: RecommendFlags) => {
      const { recommend } = await import("../lab/recommend.js");
      const { recommendationText } = await import("../report/recommendation-text.js");
      const { rule: _, ...world } = readWorldFlags(flags);
      const interrupts = watchInterrupts();
      const progress = await showProgress();
      const result = await recommend({
        ...world,
        ...defined({
          journal: flags.journal,
          policies: flags.policy === undefined ? undefined : splitList(flags.policy),
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
        flags.json ? `${JSON.stringify(result, null, 2)}\n` : recommendationText(result),
      );
    });
}
