import { writeFileSync } from "node:fs";
import { Command } from "commander";
import { InputError, oneLine } from "../lab/errors.js";
import { EXIT_CODES } from "./world-options.js";

interface CalibrateFlags {
  out?: string;
  base?: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab calibrate trace.txt dumpe2fs.txt info.txt fsmark.log -o machine.json
  jbdlab sweep --profile machine.json
  jbdlab calibrate trace.txt --base nvme --json
`;

/** `jbdlab calibrate`: files from a machine become a profile. */
export function calibrateCommand(): Command {
  return new Command("calibrate")
    .description("fit device and workload to files from a machine, for run and sweep --profile")
    .argument("<files...>", "what inspect reads: traces, journals, dumpe2fs, info, logs, handles")
    .option("-o, --out <file>", "where the profile goes")
    .option("--base <device>", "device whose figures fill what no file tells (default: sata-ssd)")
    .option("--json", "the profile on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (files: string[], flags: CalibrateFlags) => {
      const { calibrate } = await import("../lab/calibrate/calibrate.js");
      const { calibrationText } = await import("../report/calibration-text.js");
      const profile = await calibrate(files, flags.base === undefined ? {} : { base: flags.base });
      const json = `${JSON.stringify(profile, null, 2)}\n`;
      if (flags.out !== undefined) write(flags.out, json);
      process.stdout.write(flags.json ? json : calibrationText(profile, flags.out));
    });
}

function write(file: string, text: string): void {
  try {
    writeFileSync(file, text);
  } catch (error) {
    throw new InputError(`--out ${file}: cannot be written: ${oneLine(error)}`);
  }
}
