import { Command } from "commander";
import { blaming } from "../lab/errors.js";
import { Store } from "../lab/store.js";
import { sweepText } from "../report/sweep-text.js";
import { writeReport } from "../report/write.js";
import { terminal } from "./terminal.js";
import { EXIT_CODES } from "./world-options.js";

const EXAMPLES = `
Examples:
  jbdlab sweep --shard 1/2 --out a       on one machine
  jbdlab sweep --shard 2/2 --out b       on another
  jbdlab merge a b --out report          the same report as without shards
`;

/** `jbdlab merge`: the shards of a sweep become its report. */
export function mergeCommand(): Command {
  return new Command("merge")
    .description("put the shards of a sweep together; a missing, double or foreign one is an error")
    .argument("<shards...>", "shard-*.json, or folders that hold them")
    .option("--out <folder>", "where the report goes", "jbdlab-report")
    .option("--ascii", "no characters beyond ASCII")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (paths: string[], flags: { out: string; ascii?: boolean }) => {
      const { mergeShards } = await import("../lab/shard.js");
      const result = await blaming(paths.join(" "), "shards of a sweep", () => mergeShards(paths));
      const store = new Store(flags.out);
      await writeReport(store, result);
      store.finish();
      process.stdout.write(sweepText(result, terminal(flags), store.folder));
    });
}
