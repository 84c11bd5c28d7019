import {
  detectFormat,
  diagnose,
  type Ext4Layout,
  type Inspection,
  inspect,
  type ProcInfo,
  procInfoDifference,
  procInfoMeasurements,
  type ReadOptions,
  readDumpe2fs,
} from "@jbdlab/workloads";
import { InputError } from "./errors.js";

/** What happened between the first and the last print of /proc/fs/jbd2 info. */
export interface InfoDifference {
  readonly info: ProcInfo;
  readonly sentence: string;
}

export interface Inspections {
  readonly inspections: readonly Inspection[];
  /** Of two or more prints of one journal, in one file or several. */
  readonly difference: InfoDifference | undefined;
}

/**
 * Reads files of any kind; the layout of a file system (dumpe2fs) among them names the blocks of
 * the others. Throws ImportError or InputError.
 */
export async function inspectFiles(
  given: readonly string[],
  options: ReadOptions = {},
): Promise<Inspections> {
  const files = [...new Set(given)];
  const layouts = files.filter((file) => detectFormat(file) === "dumpe2fs");
  if (layouts.length > 1) {
    throw new InputError(
      `${layouts[1]}: expected one dumpe2fs output, found a second beside ${layouts[0]}`,
    );
  }
  const layout: Ext4Layout | undefined =
    layouts[0] === undefined ? undefined : readDumpe2fs(layouts[0]);
  const inspections: Inspection[] = [];
  for (const file of files) {
    inspections.push(
      await inspect(file, { ...options, ...(layout === undefined ? {} : { layout }) }),
    );
  }
  return { inspections, difference: difference(inspections) };
}

function difference(inspections: readonly Inspection[]): InfoDifference | undefined {
  const prints = inspections.flatMap((each) =>
    each.format === "proc-info"
      ? each.content.prints.map((info) => ({ info, file: each.file }))
      : [],
  );
  const first = prints[0];
  const last = prints.at(-1);
  if (first === undefined || last === undefined || first === last) return undefined;
  try {
    const info = procInfoDifference(first.info, last.info);
    return { info, sentence: diagnose(procInfoMeasurements(info)).sentence };
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw new InputError(`${first.file}, ${last.file}: ${error.message}`);
  }
}
