import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { stringify } from "csv-stringify/sync";
import type { RunResult } from "../lab/result.js";
import type { SweepResult } from "../lab/sweep-result.js";

/**
 * One line per cell: throughput and gap with their 95 % intervals, verdict, dominant stall.
 * Percentages are numbers.
 */
export function cellsCsv(result: SweepResult): string {
  return stringify(
    result.cells.map((cell) => ({
      journalBlocks: cell.journalBlocks,
      row: cell.row,
      runs: cell.runs.length,
      unit: result.unit,
      throughput: cell.throughput.mean,
      throughputLow: cell.throughput.low,
      throughputHigh: cell.throughput.high,
      base: result.base,
      gapPercent: cell.gap?.percent,
      gapLowPercent: cell.gap?.low,
      gapHighPercent: cell.gap?.high,
      verdict: cell.verdict,
      lossWindows: cell.lossWindows,
      dominantStall: cell.dominantStall.class,
      dominantStallPercent: cell.dominantStall.percent,
    })),
    { header: true },
  );
}

// Lists and texts that a table has no column for; result.json has them.
const LEFT_OUT = new Set(["iterations", "lossWindowList", "wallMs", "replay"]);

function flat(value: object, prefix = ""): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const [key, each] of Object.entries(value)) {
    if (LEFT_OUT.has(key)) continue;
    const name = `${prefix}${key}`;
    if (typeof each === "object" && each !== null) Object.assign(columns, flat(each, `${name}.`));
    else columns[name] = typeof each === "boolean" ? String(each) : each;
  }
  return columns;
}

/** One line per run with every counter; nested fields as "stallSeconds.shadow". */
export function runsCsv(runs: readonly RunResult[]): string {
  return stringify(
    runs.map((run) => flat(run)),
    { header: true },
  );
}

/** Stall seconds, one line per run and class: the long form that plotting tools like. */
export function stallsCsv(runs: readonly RunResult[]): string {
  const lines = runs.flatMap((run) =>
    STALL_CLASSES.map((stall) => ({
      journalBlocks: run.journalBlocks,
      row: `${run.rule}/${run.policy}`,
      seed: run.seed,
      verdict: run.verdict,
      stall,
      seconds: run.stallSeconds[stall],
      waits: run.stallCounts[stall],
    })),
  );
  return stringify(lines, { header: true });
}
