import type { Cell } from "../lab/cells.js";
import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";

export interface ChartOptions {
  /** ANSI colours. */
  readonly color: boolean;
  /** Characters beyond ASCII. */
  readonly utf8: boolean;
  /** Columns; at least 40 are used, at most 100. */
  readonly width: number;
}

const HEIGHT = 15;
const LABEL_WIDTH = 9;
const COLORS = [36, 31, 32, 33, 35, 34];

const letter = (i: number) => String.fromCharCode(65 + (i % 26));
const paint = (text: string, i: number) => `\u001b[${COLORS[i % COLORS.length]}m${text}\u001b[0m`;

/** Throughput of a row at each size; undefined where a cell is missing. */
function series(result: SweepResult, row: string): (number | undefined)[] {
  return result.journals.map(
    (journal) =>
      result.cells.find((c) => c.row === row && c.journalBlocks === journal)?.throughput.mean,
  );
}

/**
 * Lines between neighbouring points and the points themselves, as grid[y][x] = index of the row
 * drawn there.
 */
function draw(
  all: readonly (readonly (number | undefined)[])[],
  width: number,
  toLine: (value: number) => number,
): (number | undefined)[][] {
  const grid = Array.from({ length: HEIGHT }, () => new Array<number | undefined>(width));
  const put = (x: number, y: number, row: number) => {
    const line = grid[y];
    if (line !== undefined) line[x] = row;
  };
  for (const [row, values] of all.entries()) {
    const step = values.length < 2 ? 0 : (width - 1) / (values.length - 1);
    for (const [i, from] of values.entries()) {
      if (from === undefined) continue;
      let before = toLine(from);
      put(Math.round(i * step), before, row);
      const to = values[i + 1];
      if (to === undefined) continue;
      const [first, last] = [Math.round(i * step), Math.round((i + 1) * step)];
      for (let x = first + 1; x <= last; x++) {
        const y = toLine(from + ((to - from) * (x - first)) / (last - first));
        // Steep lines fill their column from the line before.
        for (let fill = before; fill !== y; fill += Math.sign(y - before)) put(x, fill, row);
        put(x, y, row);
        before = y;
      }
    }
  }
  return grid;
}

function sizeAxis(journals: readonly number[], width: number): string {
  const line = new Array<string>(width + 4).fill(" ");
  const step = journals.length < 2 ? 0 : (width - 1) / (journals.length - 1);
  let free = 0;
  for (const [i, journal] of journals.entries()) {
    const text = formatJournal(journal);
    const start = Math.max(
      0,
      Math.min(Math.round(i * step) - (text.length >> 1), width + 4 - text.length),
    );
    if (start < free) continue;
    for (const [k, char] of [...text].entries()) line[start + k] = char;
    free = start + text.length + 1;
  }
  return line.join("").trimEnd();
}

function legend(cells: readonly Cell[], row: string): string {
  const own = cells.filter((cell) => cell.row === row);
  const bad = own.filter((cell) => cell.verdict !== "consistent");
  if (own.length === 0) return "no finished run";
  if (bad.length === 0) return "consistent";
  const verdicts = [...new Set(bad.map((cell) => cell.verdict))].join(", ");
  return `${verdicts} at ${bad.map((cell) => formatJournal(cell.journalBlocks)).join(", ")}`;
}

/**
 * Throughput against journal size: one letter per row, with each row's verdict in the legend. Rows
 * drawn later cover earlier ones where they meet. Empty without finished cells.
 */
export function sweepChart(result: SweepResult, options: ChartOptions): string {
  const all = result.rows.map((row) => series(result, row));
  const known = all.flat().filter((value) => value !== undefined);
  if (known.length === 0) return "";
  const low = Math.min(...known);
  const high = Math.max(...known);
  const pad = (high - low) * 0.05 || Math.max(1, high * 0.05);
  const min = Math.max(0, low - pad);
  const span = high + pad - min;
  const width = Math.max(24, Math.min(options.width, 100) - LABEL_WIDTH - 6);
  const toLine = (value: number) => Math.round(((min + span - value) / span) * (HEIGHT - 1));
  const mark = (i: number) => (options.color ? paint(letter(i), i) : letter(i));
  const lines = draw(all, width, toLine).map((line, y) => {
    const label = (min + (span * (HEIGHT - 1 - y)) / (HEIGHT - 1)).toFixed(0).padStart(LABEL_WIDTH);
    const body = Array.from(line, (row) => (row === undefined ? " " : mark(row))).join("");
    return `${label} ${options.utf8 ? "┤" : "|"} ${body}`.trimEnd();
  });
  const axis = " ".repeat(LABEL_WIDTH + 3) + sizeAxis(result.journals, width);
  const names = result.rows.map((row, i) => `  ${mark(i)}  ${row}: ${legend(result.cells, row)}`);
  return `${[`${result.unit} against journal size`, ...lines, axis, ...names].join("\n")}\n`;
}
