import { Command } from "commander";
import { EXIT_CODES } from "./world-options.js";

interface InspectFlags {
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab inspect dump.journal.gz dumpe2fs.txt      a journal, its blocks named by the file system
  jbdlab inspect trace.txt                         ftrace text of jbd2 events
  jbdlab inspect info.before info.after            /proc/fs/jbd2/<dev>/info: what happened between
  jbdlab inspect fsmark.log work/log/              fs_mark output, folders of mmtests logs
`;

const DESCRIPTION = `say what files from a machine are and what the journal suffers from

Journal images (debugfs: dump <8>), ftrace text, /proc/fs/jbd2 info, recorded handles, fs_mark and
mmtests logs, printed mmtests comparisons, the 2005 history table, dumpe2fs output; plain or gzip.
What a source does not tell stays unknown.`;

/** A file of at least this many bytes shows how far its reading is. */
const SLOW_BYTES = 64 * 2 ** 20;

/** `jbdlab inspect`: files from a machine, read whole or refused. */
export function inspectCommand(): Command {
  return new Command("inspect")
    .description(DESCRIPTION)
    .argument("<files...>", "files, or folders of mmtests logs")
    .option("--json", "one JSON object on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (files: string[], flags: InspectFlags) => {
      const { inspectFiles } = await import("../lab/inspect-files.js");
      const { inspectionText } = await import("../report/inspection-text.js");
      const { inspections, difference } = await inspectFiles(files, { onProgress: told() });
      if (flags.json) {
        const plain = { inspections: inspections.map(withoutBulk), difference: difference ?? null };
        process.stdout.write(`${JSON.stringify(plain, null, 2)}\n`);
        return;
      }
      process.stdout.write(inspections.map(inspectionText).join("\n"));
      if (difference !== undefined) {
        const { info, sentence } = difference;
        process.stdout.write(`\nbetween the prints: ${info.transactions} commits: ${sentence}\n`);
      }
    });
}

/** A line on standard error now and then. */
function told(): (read: number, total: number) => void {
  let last = 0;
  return (read, total) => {
    const percent = Math.floor((100 * read) / total);
    if (total < SLOW_BYTES || percent < last + 5) return;
    last = percent === 100 ? 0 : percent;
    process.stderr.write(`read ${percent} % of ${(total / 2 ** 30).toFixed(2)} GiB\n`);
  };
}

/** Without the lists that can be as long as the file. */
function withoutBulk<T extends { content: unknown }>(inspection: T): Omit<T, "content"> {
  const { content: _, ...rest } = inspection;
  return rest;
}
