import { InputError } from "./errors.js";
import { replayRun } from "./options.js";
import type { RunResult } from "./result.js";
import { run } from "./run.js";
import { readUnfinished } from "./store.js";
import type { SweepPlan } from "./sweep.js";

/** What an interrupted sweep left that this one wants. */
export interface Resumed {
  readonly runs: readonly RunResult[];
  /** Files of which nothing is left to take over by another sweep. */
  readonly files: readonly string[];
}

/**
 * Takes over finished runs from the folder. One of them, the smallest, is run again: another build
 * of the model may give other results, which must not be mixed. Throws InputError when it does.
 */
export async function resume(folder: string, plan: SweepPlan): Promise<Resumed> {
  const wanted = new Map(plan.runs.map((options) => [replayRun(options), options]));
  const runs: RunResult[] = [];
  const files: string[] = [];
  for (const left of readUnfinished(folder)) {
    const own = left.runs.filter((each) => wanted.has(each.replay));
    runs.push(...own);
    if (own.length === left.runs.length) files.push(left.file);
  }
  const [smallest] = [...runs].sort((a, b) => a.handles - b.handles);
  const options = smallest && wanted.get(smallest.replay);
  if (options !== undefined && (await run(options)).digest !== smallest?.digest) {
    throw new InputError(
      `--resume: the runs left in ${folder} are of another build (${smallest?.replay} differs)`,
    );
  }
  return { runs, files };
}
