import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { type ChartOptions, sweepChart } from "./chart.js";
import { answerSentence } from "./sentence.js";
import { sweepTable } from "./table.js";

/** Cells whose log was filled less often than it should have been. */
function shortLines({ cells, wraps }: SweepResult): string {
  const short = cells.flatMap(({ row, journalBlocks, runs }) => {
    const least = Math.min(...runs.map((run) => run.logWraps));
    if (wraps === null || least >= wraps) return [];
    return [`  ${row} at ${formatJournal(journalBlocks)}: ${least.toFixed(1)} times`];
  });
  if (short.length === 0) return "";
  return `Filled the log less than ${wraps} times:\n${short.join("\n")}\n`;
}

/**
 * The report of a sweep as text: setting, chart, table, the answer, cells that lose data, how to
 * repeat it.
 */
export function sweepText(result: SweepResult, options: ChartOptions, folder?: string): string {
  const { cells } = result;
  const bad = cells.filter((cell) => cell.verdict !== "consistent");
  const setting =
    `${result.workload} on ${result.device}, setting ${result.setting}, seeds ` +
    `${result.seeds.join(", ")}: ` +
    `${result.runsDone} of ${result.runsWanted} runs`;
  const losses = bad.map(
    (cell) =>
      `  ${cell.row} at ${formatJournal(cell.journalBlocks)}: ${cell.verdict}, ` +
      `${cell.lossWindows} loss windows`,
  );
  const parts = [
    `${[setting, ...(result.consumed === undefined ? [] : [result.consumed])].join("\n")}\n`,
    sweepChart(result, options),
    sweepTable(result),
    `Did cleanup wait for commits? ${answerSentence(result)}\n`,
    losses.length === 0 ? "Every cell is consistent.\n" : `Not consistent:\n${losses.join("\n")}\n`,
    shortLines(result),
    `replay: ${result.replay}\n${folder === undefined ? "" : `report: ${folder}\n`}`,
  ];
  const text = parts.filter((part) => part !== "").join("\n");
  return options.utf8 ? text : text.replaceAll("±", "+-").replaceAll("┤", "|");
}
