import type { Rule, StallClass, Verdict } from "@jbdlab/core-wasm";
import { dominantStall, type RunResult, throughput, worstVerdict } from "./result.js";
import { type Estimate, estimate, type Gap, gap, significant } from "./statistics.js";

/** One row of a comparison: a cleanup rule and a policy. */
export interface Row {
  readonly rule: Rule;
  readonly policy: string;
}

/** "v4/threshold:low=0.5": which parseRow reads back. */
export function rowName(row: Row): string {
  return `${row.rule}/${row.policy}`;
}

/** All seeds of one row at one journal size. */
export interface Cell {
  readonly row: string;
  /** The size that was asked for. */
  readonly journalBlocks: number;
  readonly runs: readonly RunResult[];
  /** In the sweep's unit. */
  readonly throughput: Estimate;
  /** Against the base row at the same size; null where that has no result. */
  readonly gap: Gap | null;
  /** The worst of the runs. */
  readonly verdict: Verdict;
  readonly lossWindows: number;
  readonly dominantStall: { readonly class: StallClass | "none"; readonly percent: number };
}

function rounded<T extends Estimate | Gap>(values: T): T {
  return Object.fromEntries(
    Object.entries(values).map(([key, v]) => [key, v === null ? null : significant(v)]),
  ) as unknown as T;
}

/**
 * Cells in order of journal size, then of `rows`; combinations without a finished run are left
 * out. `results` may come in any order: runs inside a cell are ordered by seed.
 */
export function toCells(
  results: readonly RunResult[],
  rows: readonly string[],
  base: string,
): Cell[] {
  const sizes = [...new Set(results.map((r) => r.askedJournalBlocks))].sort((a, b) => a - b);
  const cells: Cell[] = [];
  for (const journalBlocks of sizes) {
    const runsOf = (row: string) =>
      results
        .filter((r) => r.askedJournalBlocks === journalBlocks && rowName(r) === row)
        .sort((a, b) => a.seed - b.seed);
    const baseRates = runsOf(base).map(throughput);
    for (const row of rows) {
      const runs = runsOf(row);
      if (runs.length === 0) continue;
      const rates = runs.map(throughput);
      cells.push({
        row,
        journalBlocks,
        runs,
        throughput: rounded(estimate(rates)),
        gap: baseRates.length === 0 ? null : rounded(gap(rates, baseRates)),
        verdict: worstVerdict(runs),
        lossWindows: runs.reduce((sum, r) => sum + r.lossWindows, 0),
        dominantStall: dominantStall(runs),
      });
    }
  }
  return cells;
}
