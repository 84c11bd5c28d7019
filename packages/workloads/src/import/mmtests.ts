import { readdirSync, statSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { unreadable } from "./bytes.js";
import { readFsMarkLog } from "./fsmark-log.js";
import { ImportError } from "./import-error.js";
import { parseFileSync } from "./lines.js";
import { type MmtestsRun, type MmtestsTable, MmtestsTableParser } from "./mmtests/table.js";

export { MMTESTS_ERAS, type MmtestsEra } from "./mmtests/statistics.js";
export {
  compareRuns,
  type MmtestsCell,
  type MmtestsRow,
  type MmtestsRun,
  type MmtestsTable,
  MmtestsTableParser,
  printTable,
} from "./mmtests/table.js";

const LOG = /^fsmark-(\d{1,4})\.log(?:\.gz)?$/;

function entries(folder: string): string[] {
  try {
    return readdirSync(folder).sort();
  } catch (cause) {
    throw unreadable(folder, cause);
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** The log folders of one kernel: `<kernel>/iter-N/fsmark/logs`, or any folder on that path. */
function logFolders(folder: string): string[] {
  const names = entries(folder);
  if (names.some((name) => LOG.test(name))) {
    return [folder];
  }
  const iterations = names
    .filter((name) => /^iter-\d+$/.test(name) && isFolder(join(folder, name)))
    .sort((a, b) => Number(a.slice(5)) - Number(b.slice(5)));
  const inner = iterations.length > 0 ? iterations : ["fsmark", "logs"];
  return inner
    .map((name) => join(folder, name))
    .filter(isFolder)
    .flatMap(logFolders);
}

/** True when `folder` holds fs_mark logs as mmtests lays them out, of one kernel or of several. */
export function isMmtestsFolder(folder: string): boolean {
  return isFolder(folder) && kernels(folder).length > 0;
}

function kernels(folder: string): string[] {
  if (logFolders(folder).length > 0) {
    return [folder];
  }
  return entries(folder)
    .map((name) => join(folder, name))
    .filter((path) => isFolder(path) && logFolders(path).length > 0);
}

/**
 * Reads mmtests' fs_mark logs: the folder of one kernel, or one that holds a folder per kernel
 * (in the order of their names: pass the folders one by one to choose the base). Samples of
 * several iterations follow one another. Throws ImportError when there are none, or one cannot
 * be understood.
 */
export function readMmtestsRuns(folder: string): MmtestsRun[] {
  if (!isFolder(folder)) {
    const found = statSync(folder, { throwIfNoEntry: false }) === undefined ? "nothing" : "a file";
    throw new ImportError(folder, undefined, "a folder", found);
  }
  const paths = kernels(folder);
  if (paths.length === 0) {
    const expected = "mmtests logs (<kernel>/iter-N/fsmark/logs/fsmark-THREADS.log)";
    throw new ImportError(folder, undefined, expected, "none");
  }
  return paths.map((path) => {
    const samples = new Map<number, number[]>();
    for (const logs of logFolders(path)) {
      for (const name of entries(logs).filter((entry) => LOG.test(entry))) {
        const threads = Number(LOG.exec(name)![1]);
        const log = readFsMarkLog(join(logs, name));
        const rates = log.samples.map(({ filesPerSecond }) => filesPerSecond);
        samples.set(threads, [...(samples.get(threads) ?? []), ...rates]);
      }
    }
    return { name: basename(resolve(path)), samples };
  });
}

/** Reads a printed comparison table, plain or gzip. */
export function readMmtestsTable(file: string): MmtestsTable {
  return parseFileSync(file, new MmtestsTableParser(file));
}
