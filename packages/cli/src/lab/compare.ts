import type { StallClass, Verdict } from "@jbdlab/core-wasm";
import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { type RunResult, throughput, worstVerdict } from "./result.js";
import { type Gap, gap } from "./statistics.js";

/** How runs differ from base runs. */
export interface Comparison {
  /** Throughput against the base, percent, with its 95 % interval. */
  readonly gap: Gap;
  /** Mean stall seconds per run minus the base's, by class. */
  readonly addedStallSeconds: Readonly<Record<StallClass | "total", number>>;
  readonly verdict: Verdict;
  readonly baseVerdict: Verdict;
}

/**
 * Compares runs (of several seeds, or one) with base runs. Verdicts are those of the worst run: a
 * gap to a base that loses data is no loss. Throws RangeError without runs.
 */
export function compare(
  runs: RunResult | readonly RunResult[],
  base: RunResult | readonly RunResult[],
): Comparison {
  const [ours, theirs] = [[runs].flat(), [base].flat()];
  if (ours.length === 0 || theirs.length === 0) throw new RangeError("comparison of no runs");
  const meanOf = (of: readonly RunResult[], name: StallClass | "total") =>
    of.reduce((sum, run) => sum + run.stallSeconds[name], 0) / of.length;
  const added = [...STALL_CLASSES, "total" as const].map((name) => [
    name,
    meanOf(ours, name) - meanOf(theirs, name),
  ]);
  return {
    gap: gap(ours.map(throughput), theirs.map(throughput)),
    addedStallSeconds: Object.fromEntries(added),
    verdict: worstVerdict(ours),
    baseVerdict: worstVerdict(theirs),
  };
}
