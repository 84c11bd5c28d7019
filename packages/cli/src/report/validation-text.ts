import type { Validation, ValidationRow } from "../lab/validate/validate.js";
import { columns } from "./columns.js";

const number = (value: number | null | undefined, digits: number) =>
  value === null || value === undefined ? "-" : value.toFixed(digits);
const signed = (value: number | null | undefined, digits = 1) =>
  value === null || value === undefined
    ? "-"
    : `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(digits)}`;

/** Measured and simulated value of a figure: "11 11.2". */
function pair(row: ValidationRow, figure: string, digits = 0, simulatedDigits = digits): string[] {
  return [number(row.measured[figure], digits), number(row.simulated[figure], simulatedDigits)];
}

function gapCells(row: ValidationRow): string[] {
  const { measured, simulated, error } = row;
  const sd = row.gapSd === null ? "" : ` ±${row.gapSd.toFixed(1)}`;
  return [
    signed(measured["hmeanGap"]),
    simulated["hmeanGap"] === null ? "-" : `${signed(simulated["hmeanGap"])}${sd}`,
    signed(error["hmeanGapPoints"]),
  ];
}

/** The misses; in brackets those whose measured value lies within the range of the seeds. */
function missesText({ misses, within }: ValidationRow): string {
  if (misses.length === 0) return "none";
  return misses.map((miss) => (within.includes(miss) ? `(${miss})` : miss)).join(" ");
}

const verdictOf = (row: ValidationRow) =>
  row.lossWindows === 0 ? row.verdict : `${row.verdict} (${row.lossWindows})`;

function createTable(rows: readonly ValidationRow[]): string {
  const head = ["run", "files/s", "sim", "gap %", "sim ±sd", "off", "commits", "sim"];
  head.push("h/tx", "sim", "tail", "sim", "waits", "sim", "space %", "sim", "misses", "verdict");
  const body = rows.map((row) => [
    row.run,
    ...pair(row, "hmean"),
    ...gapCells(row),
    ...pair(row, "commits", 0, 1),
    ...pair(row, "handlesPerTransaction"),
    ...pair(row, "tailMoves", 0, 1),
    ...pair(row, "commitWaits", 0, 1),
    ...pair(row, "spaceShare", 1),
    missesText(row),
    verdictOf(row),
  ]);
  return columns([head, ...body], `l${"r".repeat(15)}ll`).join("\n");
}

/** The waits and who moved the tail: [title, figure, digits]. */
const DETAILS: readonly (readonly [string, string, number])[] = [
  ["blocks/commit", "blocksPerCommit", 0],
  ["forced", "forcedToClose", 1],
  ["home writes", "checkpointWrites", 0],
  ["tail by handle", "tailMovesByHandle", 1],
  ["by worker", "tailMovesByWorker", 1],
  ["by kjournald", "tailMovesByKjournald", 1],
  ["space s", "spaceSeconds", 2],
  ["commit wait s", "commitWaitSeconds", 2],
  ["shadow s", "shadowSeconds", 2],
  ["longest ms", "longestWaitMs", 0],
];

function detailTable(rows: readonly ValidationRow[]): string {
  const head = ["run", ...DETAILS.map(([title]) => title)];
  const body = rows.map((row) => [
    row.run,
    ...DETAILS.map(([, figure, digits]) => pair(row, figure, digits).join("/")),
  ]);
  return columns([head, ...body], `l${"r".repeat(DETAILS.length)}`).join("\n");
}

function fsyncTable(rows: readonly ValidationRow[]): string {
  const head = ["run", "files/s", "sim", "handles/commit", "sim", "off %"];
  head.push("files/commit", "sim", "off %", "misses", "verdict");
  const body = rows.map((row) => [
    row.run,
    ...pair(row, "hmean", 1),
    ...pair(row, "handlesPerCommit", 2),
    signed(row.error["handlesPerCommitPct"]),
    ...pair(row, "filesPerCommit", 2),
    signed(row.error["filesPerCommitPct"]),
    missesText(row),
    verdictOf(row),
  ]);
  return columns([head, ...body], `l${"r".repeat(8)}ll`).join("\n");
}

const LEGEND = `measured | sim = simulated, mean over seeds; gap = files/s against v3 on the same
device and journal. A miss in brackets: the measured value lies within the range of the seeds.
Tolerances: gap 3 points (1 with a free flush); commits, handles per transaction, handles and
files per commit 10 %; tail moves and waits for commits 15 % or 2; share of the time waiting for
space 10 points.`;

/** The comparison as text. */
export function validationText(validation: Validation): string {
  const create = validation.rows.filter((row) => row.kind === "create");
  const fsync = validation.rows.filter((row) => row.kind === "fsync");
  const missed = validation.rows.filter((row) => row.misses.length > 0);
  const outside = missed.filter((row) => row.within.length < row.misses.length);
  const parts: string[] = [];
  if (create.length > 0) {
    parts.push(`creates, without fsync\n${createTable(create)}`);
    parts.push(`in detail, measured/simulated\n${detailTable(create)}`);
  }
  if (fsync.length > 0) parts.push(`threads in fsync\n${fsyncTable(fsync)}`);
  parts.push(LEGEND);
  parts.push(
    `${validation.rows.length} runs, seeds ${validation.seeds.join(", ")}: ` +
      `${validation.rows.length - missed.length} within all tolerances, ` +
      `${missed.length - outside.length} miss one by no more than the seeds differ, ` +
      `${outside.length} by more` +
      `${outside.length === 0 ? "" : `: ${outside.map((row) => row.run).join(", ")}`}`,
  );
  return `${parts.join("\n\n")}\n`;
}
