import { Command } from "commander";
import { parseRule, type RunOptions, unsafeWarning } from "../lab/options.js";
import { parseWhole } from "../lab/units.js";
import { runText } from "../report/run-text.js";
import {
  addWorldOptions,
  defined,
  EXIT_CODES,
  readWorldFlags,
  type WorldFlags,
} from "./world-options.js";

interface RunFlags extends WorldFlags {
  rule?: string;
  policy?: string;
  journal?: string;
  seed?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab run                                      v4 with jbd2's own policy, 64MiB journal
  jbdlab run --rule v3 --journal 16MiB            the unsafe rule: prints its loss windows
  jbdlab run --policy threshold:low=0.75 --json
  jbdlab run --workload journal:dump.journal.gz   replays a real journal's transactions
  jbdlab run --setting kernel-runs --flush-ms 80 --journal 16MiB
`;

/** `jbdlab run`: one world. */
export function runCommand(): Command {
  return addWorldOptions(
    new Command("run")
      .description("run one world and tell what its handles waited for")
      .option("--rule <rule>", "cleanup rule, v0 to v4 (default: v4)")
      .option("--policy <name:key=value>", "checkpoint policy (default: jbd2)")
      .option("--journal <size>", "journal size (default: 64MiB)")
      .option("--seed <n>", "same seed, same bytes (default: 1)"),
  )
    .option("--json", "one JSON object on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (flags: RunFlags) => {
      const { run } = await import("../lab/run.js");
      const options = readRunFlags(flags);
      const warning = unsafeWarning(options.rule ?? "v4");
      if (warning !== undefined) process.stderr.write(`${warning}\n`);
      const result = await run(options);
      const text = flags.json ? `${JSON.stringify(result, null, 2)}\n` : runText(result);
      process.stdout.write(text);
    });
}

function readRunFlags(flags: RunFlags): RunOptions {
  return {
    ...readWorldFlags(flags),
    ...defined({
      rule: flags.rule === undefined ? undefined : parseRule(flags.rule),
      policy: flags.policy,
      journal: flags.journal,
      seed: flags.seed === undefined ? undefined : parseWhole(flags.seed, "--seed", 0, 0xffffffff),
    }),
  };
}
