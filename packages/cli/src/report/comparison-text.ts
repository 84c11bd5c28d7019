import { type MmtestsTable, printTable } from "@jbdlab/workloads";
import { stringify } from "csv-stringify/sync";
import type { Source } from "../lab/compare-sources.js";

export const COMPARE_FORMATS = ["mmtests", "markdown", "csv", "json"] as const;
export type CompareFormat = (typeof COMPARE_FORMATS)[number];

const verdictText = ({ verdict }: Source) => verdict ?? "measured, no verdict";

/** What a star means, and the verdict of each column that a simulation produced. */
function notes(table: MmtestsTable, sources: readonly Source[]): string[] {
  const simulated = sources.filter(({ verdict }) => verdict !== null);
  return [
    `era ${table.era}; a star: ${table.starTest}`,
    ...simulated.map((source) => `${source.run.name}: ${verdictText(source)}`),
  ];
}

/**
 * A comparison in a format. The mmtests format of measured logs is byte for byte the tool's; with
 * simulated columns their verdicts follow.
 */
export function comparisonText(
  table: MmtestsTable,
  sources: readonly Source[],
  format: CompareFormat,
): string {
  if (format === "json") {
    const verdicts = sources.map(({ verdict }) => verdict);
    return `${JSON.stringify({ ...table, verdicts }, null, 2)}\n`;
  }
  if (format === "csv") return csv(table, sources);
  if (format === "markdown") return markdown(table, sources);
  const simulated = sources.some(({ verdict }) => verdict !== null);
  return simulated
    ? `${printTable(table)}${notes(table, sources).join("\n")}\n`
    : printTable(table);
}

function csv(table: MmtestsTable, sources: readonly Source[]): string {
  const head = [
    "statistic",
    "threads",
    "column",
    "value",
    "percent",
    "starred",
    "star_test",
    "verdict",
  ];
  const body = table.rows.flatMap(({ statistic, threads, cells }) =>
    cells.map(({ value, percent, significant }, i) => {
      const source = sources[i];
      const starred = significant ? "yes" : "no";
      const verdict = source === undefined ? "" : verdictText(source);
      return [
        statistic,
        threads,
        table.columns[i],
        value,
        percent,
        starred,
        table.starTest,
        verdict,
      ];
    }),
  );
  return stringify([head, ...body]);
}

function markdown(table: MmtestsTable, sources: readonly Source[]): string {
  const head = ["", ...table.columns];
  const row = (cells: readonly string[]) => `| ${cells.join(" | ")} |`;
  const body = table.rows.map(({ statistic, threads, cells }) =>
    row([
      `${statistic} ${threads}`,
      ...cells.map(({ value, percent, significant }, i) => {
        const change = `${percent.toFixed(2)} %${significant ? " ★" : ""}`;
        return i === 0 ? value.toFixed(2) : `${value.toFixed(2)} (${change})`;
      }),
    ]),
  );
  const rule = row(head.map((_, i) => (i === 0 ? "---" : "---:")));
  const lines = [row(head), rule, ...body, "", ...notes(table, sources).map((note) => `- ${note}`)];
  return `${lines.join("\n")}\n`;
}
