import type { Cell } from "../lab/cells.js";
import { formatJournal } from "../lab/sizes.js";
import type { Estimate, Gap } from "../lab/statistics.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { columns } from "./columns.js";

const signed = (value: number) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`;

/** "12306.6" with its half interval in percent: "12306.6 ±1.2%". */
export function formatEstimate(value: Estimate): string {
  const mean = value.mean.toFixed(1);
  if (value.high === null || value.mean === 0) return mean;
  return `${mean} ±${((100 * (value.high - value.mean)) / value.mean).toFixed(1)}%`;
}

/** "3.2e6 cuts": distinct durable states that were judged. */
export const formatCuts = (cuts: number) =>
  `${cuts < 1e4 ? cuts : cuts.toExponential(1).replace("e+", "e")} cuts`;

/** "-7.7 % [-9.1, -6.3]"; "+0.0 %" at the base itself is spelled "base" by the table. */
export function formatGap(value: Gap | null): string {
  if (value === null) return "no base";
  const percent = `${signed(value.percent)} %`;
  if (value.low === null || value.high === null) return percent;
  return `${percent} [${signed(value.low)}, ${signed(value.high)}]`;
}

function formatVerdict(cell: Cell): string {
  const cuts = cell.runs.reduce((sum, run) => sum + run.durableStatesJudged, 0);
  const windows = cell.lossWindows === 0 ? "" : ` (${cell.lossWindows})`;
  return `${cell.verdict}${windows}, ${formatCuts(cuts)}`;
}

function formatStall({ dominantStall }: Cell): string {
  if (dominantStall.class === "none") return "nothing";
  return `${dominantStall.class} ${dominantStall.percent.toFixed(1)}%`;
}

/**
 * The cells as text: throughput, gap to the base with its 95 % interval, verdict and dominant
 * stall of each.
 */
export function sweepTable(result: SweepResult): string {
  const head = [
    "journal",
    "row",
    result.unit,
    `gap to ${result.base} [95 %]`,
    "verdict (loss windows)",
    "mostly waits for (of run time)",
  ];
  const body = result.cells.map((cell, i) => [
    result.cells[i - 1]?.journalBlocks === cell.journalBlocks
      ? ""
      : formatJournal(cell.journalBlocks),
    cell.row,
    formatEstimate(cell.throughput),
    cell.row === result.base ? "base" : formatGap(cell.gap),
    formatVerdict(cell),
    formatStall(cell),
  ]);
  return `${columns([head, ...body], "rlrlll").join("\n")}\n`;
}
