import { Command, Option } from "commander";
import { blaming, InputError } from "../lab/errors.js";
import type { CompareFormat } from "../report/comparison-text.js";
import { EXIT_CODES } from "./world-options.js";

interface CompareFlags {
  format: CompareFormat;
  era: string;
}

const EXAMPLES = `
Examples:
  jbdlab compare work/log/6.5 work/log/6.6              mmtests logs, as today's tool prints them
  jbdlab compare --era 1 base/ patched/                 as the reports of 2023 were printed
  jbdlab compare jbdlab-report --format markdown        a sweep's rows, verdicts beside them
  jbdlab compare measured.log jbdlab-report/result.json
`;

const DESCRIPTION = `compare fs_mark runs, measured or simulated, in mmtests' own tables

The first column is the base. Eras: 1 until 2024-11, 2 until 2025-12, 3 since; they differ in rows
and in what a star means.`;

/** `jbdlab compare`: mmtests' comparison of logs and of simulated runs. */
export function compareCommand(): Command {
  return new Command("compare")
    .description(DESCRIPTION)
    .argument("<sources...>", "folders of mmtests logs, fs_mark logs, report folders, result.json")
    .addOption(
      new Option("--format <format>", "how it is printed")
        .choices(["mmtests", "markdown", "csv", "json"])
        .default("mmtests"),
    )
    .addOption(new Option("--era <n>", "era of mmtests").choices(["1", "2", "3"]).default("3"))
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (paths: string[], flags: CompareFlags) => {
      const { compareRuns } = await import("@jbdlab/workloads");
      const { readSources } = await import("../lab/compare-sources.js");
      const { comparisonText } = await import("../report/comparison-text.js");
      const sources = await Promise.all(
        paths.map((path) => blaming(path, "runs of fs_mark or a sweep", () => readSources(path))),
      ).then((each) => each.flat());
      const era = Number(flags.era) as 1 | 2 | 3;
      try {
        const table = compareRuns(
          sources.map(({ run }) => run),
          era,
        );
        process.stdout.write(comparisonText(table, sources, flags.format));
      } catch (error) {
        if (error instanceof RangeError)
          throw new InputError(`${paths.join(" ")}: ${error.message}`);
        throw error;
      }
    });
}
