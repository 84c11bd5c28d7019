import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Verdict } from "@jbdlab/core-wasm";
import { type MmtestsRun, readFsMarkLog, readMmtestsRuns } from "@jbdlab/workloads";
import type { Cell } from "./cells.js";
import { InputError, oneLine } from "./errors.js";
import { worstVerdict } from "./result.js";
import { formatJournal } from "./sizes.js";
import type { SweepResult } from "./sweep-result.js";

/** Samples of one column, and the crash verdict of what produced them; null: a real machine's. */
export interface Source {
  readonly run: MmtestsRun;
  readonly verdict: Verdict | null;
}

/**
 * Reads what can be compared: a folder of mmtests logs (one column per kernel in it), an fs_mark
 * log, a report folder of `sweep` or its result.json (one column per row and journal size). Throws
 * ImportError or InputError.
 */
export function readSources(path: string): Source[] {
  const stat = statSync(path, { throwIfNoEntry: false });
  if (stat?.isDirectory() === true) {
    const result = join(path, "result.json");
    if (statSync(result, { throwIfNoEntry: false }) !== undefined) return fromResult(result);
    return readMmtestsRuns(path).map((run) => ({ run, verdict: null }));
  }
  if (path.endsWith(".json")) return fromResult(path);
  const { file, samples, command } = readFsMarkLog(path);
  const rates = samples.map(({ filesPerSecond }) => filesPerSecond);
  return [
    { run: { name: file, samples: new Map([[command?.threads ?? 1, rates]]) }, verdict: null },
  ];
}

function fromResult(file: string): Source[] {
  let result: SweepResult;
  try {
    result = JSON.parse(readFileSync(file, "utf8")) as SweepResult;
  } catch (error) {
    throw new InputError(`${file}: expected the result.json of a sweep, found: ${oneLine(error)}`);
  }
  if (!Array.isArray(result?.cells)) {
    throw new InputError(`${file}: expected the result.json of a sweep, found no cells`);
  }
  const cells: readonly Cell[] = result.cells;
  return cells.map((cell) => {
    const rates = cell.runs.flatMap((run) => run.iterations.map((each) => each.filesPerSecond));
    if (rates.length === 0 || cell.runs.some((run) => run.filesPerSecond === null)) {
      throw new InputError(
        `${file}: expected a workload that makes files, found ${cell.row} without`,
      );
    }
    const threads = cell.runs[0]?.threads ?? 1;
    const sizes = new Set(cells.map((each) => each.journalBlocks));
    const size = sizes.size > 1 ? `-${formatJournal(cell.journalBlocks)}` : "";
    return {
      run: { name: `${cell.row.replace("/", "-")}${size}`, samples: new Map([[threads, rates]]) },
      verdict: worstVerdict(cell.runs),
    };
  });
}
