import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { VERSION } from "../lab/version.js";
import { sweepChart } from "./chart.js";
import { columns } from "./columns.js";
import { answerSentence } from "./sentence.js";
import { formatCuts } from "./table.js";

/** What a kernel mailing list shows without folding. */
const WIDTH = 72;

/** Words in lines of at most `width` columns. */
function fold(text: string, hang = "", width = WIDTH): string {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(/\s+/)) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = `${hang}${word}`;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line].join("\n");
}

/** A command over several lines, as a shell takes it. */
const foldCommand = (command: string) => fold(command, "  ", WIDTH - 2).replaceAll("\n", " \\\n");

function mailTable(result: SweepResult): string {
  const head = ["journal", "row", result.unit, "gap", "power cut"];
  const body = result.cells.map((cell, i) => {
    const same = result.cells[i - 1]?.journalBlocks === cell.journalBlocks;
    const gap =
      cell.row === result.base || cell.gap === null ? "" : `${cell.gap.percent.toFixed(1)}%`;
    const cuts = cell.runs.reduce((sum, run) => sum + run.durableStatesJudged, 0);
    const verdict = cell.verdict === "loses-acknowledged-data" ? "LOSES DATA" : cell.verdict;
    return [
      same ? "" : formatJournal(cell.journalBlocks),
      cell.row,
      cell.throughput.mean.toFixed(0),
      gap,
      `${verdict}, ${formatCuts(cuts)}`,
    ];
  });
  return columns([head, ...body], "rlrrl").join("\n");
}

/**
 * A sweep as plain text for a kernel mail: setting, command, seeds, table, chart, verdicts; ASCII,
 * no colours, folded at 72 columns.
 */
export function mailText(result: SweepResult): string {
  const setting =
    `${result.workload} on ${result.device}, setting ${result.setting}, seeds ` +
    `${result.seeds.join(", ")}; gaps are to ${result.base}. Simulated by jbdlab ${VERSION}.`;
  const parts = [
    fold(setting),
    mailTable(result),
    sweepChart(result, { color: false, utf8: false, width: WIDTH }).trimEnd(),
    fold(`Did cleanup wait for commits? ${answerSentence(result)}`),
    `To repeat it:\n${foldCommand(result.replay)}`,
  ];
  return `${parts.join("\n\n").replaceAll("±", "+-")}\n`;
}
