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

/** "-7.7 % [-9.1, -6.3]"; "+0.0 %" at the base itself is spelled "base" by the table. */
export function formatGap(value: Gap | null): string {
  if (value === null) return "no base";
  const percent = `${signed(value.percent)} %`;
  if (value.low === null || value.high === null) return percent;
  return `${percent} [${signed(value.low)}, ${signed(value.high)}]`;
}

function formatVerdict(cell: Cell): string {
  return cell.lossWindows === 0 ? cell.verdict : `${cell.verdict} (${cell.lossWindows})`;
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
