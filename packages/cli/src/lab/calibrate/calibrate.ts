import type { Inspection, ReadOptions } from "@jbdlab/workloads";
import { parseDevice } from "../devices.js";
import { InputError } from "../errors.js";
import { inspectFiles } from "../inspect-files.js";
import { BLOCK_BYTES, formatJournal, MAX_JOURNAL_BLOCKS, MIN_JOURNAL_BLOCKS } from "../sizes.js";
import { estimateDevice } from "./device.js";
import type { Profile, ProfileFact, ProfileOptions } from "./profile.js";
import { estimateWorkload } from "./workload.js";

export interface CalibrateOptions extends ReadOptions {
  /** The device whose figures fill what no file tells; default sata-ssd. */
  readonly base?: string;
}

/**
 * Fits a device and a workload to files from a machine. Throws ImportError when a file cannot be
 * understood, InputError when none of them tells anything.
 */
export async function calibrate(
  files: readonly string[],
  options: CalibrateOptions = {},
): Promise<Profile> {
  const base = parseDevice(options.base ?? "sata-ssd").text;
  const { inspections } = await inspectFiles(files, options);
  const sources = inspections.flatMap((each) =>
    each.measurements.map((measurements) => ({ file: each.file, measurements })),
  );
  const device = estimateDevice(sources);
  const workload = estimateWorkload(inspections);
  const journal = journalOf(inspections);
  const divisor = divisorOf(inspections, journal.blocks);
  const chosen: ProfileOptions = {
    ...(device.overrides.length === 0 ? {} : { device: [base, ...device.overrides].join(",") }),
    ...workload.options,
    ...(journal.blocks === undefined ? {} : { journal: formatJournal(journal.blocks) }),
    ...(divisor.value === undefined ? {} : { maxTransactionDivisor: divisor.value }),
  };
  if (Object.keys(chosen).length === 0) {
    throw new InputError(
      `${files.join(", ")}: expected a trace, journal, dumpe2fs, recorded handles or fs_mark log ` +
        "that tells of device or workload, found none",
    );
  }
  const facts: ProfileFact[] = [
    { parameter: "device", value: base, known: "assumed", how: "the base: --base" },
    ...device.facts,
    ...workload.facts,
    journal.fact,
    divisor.fact,
    {
      parameter: "commit interval",
      value: undefined,
      known: "unidentifiable",
      how: "the default of 5 s: commits closed by size do not show it; --commit-seconds",
    },
    { parameter: "memory", value: undefined, known: "unidentifiable", how: "--memory" },
    { parameter: "cpus", value: undefined, known: "unidentifiable", how: "--cpus" },
  ];
  return { format: "jbdlab-profile-1", from: files, options: chosen, facts };
}

function journalOf(inspections: readonly Inspection[]): {
  blocks: number | undefined;
  fact: ProfileFact;
} {
  const parameter = "journal";
  for (const { file, format, content } of inspections) {
    const found =
      format === "jbd2-journal"
        ? { blocks: content.superblock.blocks, size: content.superblock.blockSize }
        : format === "dumpe2fs" && content.journalBlocks !== undefined
          ? { blocks: content.journalBlocks, size: content.blockSize }
          : undefined;
    if (found === undefined) continue;
    const blocks = Math.round((found.blocks * found.size) / BLOCK_BYTES);
    if (blocks < MIN_JOURNAL_BLOCKS || blocks > MAX_JOURNAL_BLOCKS) continue;
    const value = formatJournal(blocks);
    const how = "the length that the journal or file system states";
    return { blocks, fact: { parameter, value, known: "measured", how, file } };
  }
  const how = "needs the journal image or dumpe2fs output; --journal";
  return { blocks: undefined, fact: { parameter, value: undefined, known: "unidentifiable", how } };
}

/** /proc/fs/jbd2 info prints the maximum transaction; the journal's length over it is 3 or 4. */
function divisorOf(
  inspections: readonly Inspection[],
  journalBlocks: number | undefined,
): { value: 3 | 4 | undefined; fact: ProfileFact } {
  const parameter = "maximum transaction";
  for (const { file, measurements } of inspections) {
    const largest = measurements.find((m) => m.maxTransactionBlocks !== undefined);
    const blocks = largest?.maxTransactionBlocks;
    if (blocks === undefined || journalBlocks === undefined || blocks === 0) continue;
    const ratio = Math.round(journalBlocks / blocks);
    if (ratio !== 3 && ratio !== 4) continue;
    const how = `${blocks} blocks of ${journalBlocks}`;
    const value = `journal / ${ratio}`;
    return { value: ratio, fact: { parameter, value, known: "measured", how, file } };
  }
  const how = "needs /proc/fs/jbd2 info and the journal's length; --kernel";
  return { value: undefined, fact: { parameter, value: undefined, known: "unidentifiable", how } };
}
