import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";

const schema = "https://vega.github.io/schema/vega-lite/v6.json";
const sizesOf = (result: SweepResult) => result.journals.map(formatJournal);

/** Gap to the base in percent with its 95 % interval, per journal size; hollow points lose data. */
export function gapSpec(result: SweepResult): object {
  const values = result.cells
    .filter(({ row, gap }) => row !== result.base && gap !== null)
    .map(({ row, journalBlocks, gap, verdict }) => ({
      size: formatJournal(journalBlocks),
      row,
      gap: gap?.percent ?? 0,
      low: gap?.low ?? gap?.percent ?? 0,
      high: gap?.high ?? gap?.percent ?? 0,
      verdict,
    }));
  const x = { field: "size", type: "ordinal", sort: sizesOf(result), title: "journal size" };
  const color = {
    field: "row",
    type: "nominal",
    title: "rule/policy",
    legend: { labelLimit: 400 },
  };
  const xOffset = { field: "row" };
  const title = `gap to ${result.base}, %`;
  return {
    $schema: schema,
    title: `Gap to ${result.base}`,
    width: 640,
    height: 280,
    background: "white",
    data: { values },
    layer: [
      {
        mark: "bar",
        encoding: { x, xOffset, color, y: { field: "gap", type: "quantitative", title } },
      },
      {
        mark: { type: "rule", color: "black" },
        encoding: {
          x,
          xOffset,
          y: { field: "low", type: "quantitative", title },
          y2: { field: "high" },
        },
      },
    ],
  };
}

/** Share of the handle threads' time in each stall class, per journal size and row. */
export function stallSpec(result: SweepResult): object {
  const values = result.cells.flatMap(({ row, journalBlocks, runs }) => {
    const time = runs.reduce((sum, run) => sum + run.simulatedSeconds * run.threads, 0);
    return STALL_CLASSES.flatMap((name) => {
      const seconds = runs.reduce((sum, run) => sum + run.stallSeconds[name], 0);
      if (seconds === 0) return [];
      return [
        { row, size: formatJournal(journalBlocks), stall: name, percent: (100 * seconds) / time },
      ];
    });
  });
  return {
    $schema: schema,
    title: "What handles wait for",
    background: "white",
    data: { values },
    columns: 2,
    facet: { field: "row", type: "nominal", title: null, sort: [...result.rows] },
    spec: {
      width: 300,
      height: 140,
      mark: "bar",
      encoding: {
        x: { field: "size", type: "ordinal", sort: sizesOf(result), title: "journal size" },
        y: { field: "percent", type: "quantitative", title: "% of the time" },
        color: { field: "stall", type: "nominal", title: "waits", sort: [...STALL_CLASSES] },
      },
    },
  };
}
