import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";

/**
 * What the chart knows of a row: its name, with its verdict where that is not "consistent"
 * everywhere.
 */
function label(result: SweepResult, row: string): string {
  const bad = result.cells.find((cell) => cell.row === row && cell.verdict !== "consistent");
  return `${row} (${bad?.verdict ?? "consistent"})`;
}

/**
 * Vega-Lite specification of throughput against journal size with 95 % bands; rows whose policy is
 * the infinite log are the dashed ceiling. Every point carries its verdict: hollow where data is
 * lost.
 */
export function throughputSpec(result: SweepResult): object {
  const values = result.cells.map((cell) => ({
    journalMiB: cell.journalBlocks / 256,
    size: formatJournal(cell.journalBlocks),
    row: label(result, cell.row),
    mean: cell.throughput.mean,
    low: cell.throughput.low ?? cell.throughput.mean,
    high: cell.throughput.high ?? cell.throughput.mean,
    safe: cell.verdict === "consistent",
    ceiling: cell.row.endsWith("/infinite-log"),
  }));
  const x = {
    field: "journalMiB",
    type: "quantitative",
    scale: { type: "log", base: 2 },
    axis: { title: "journal size, MiB", values: result.journals.map((blocks) => blocks / 256) },
  };
  const scale = { zero: false, nice: true };
  const color = {
    field: "row",
    type: "nominal",
    sort: result.rows.map((row) => label(result, row)),
    title: "rule/policy (verdict)",
    legend: { labelLimit: 400, titleLimit: 400 },
  };
  const y = { field: "mean", type: "quantitative", title: result.unit, scale };
  const dashed = {
    domain: [false, true],
    range: [
      [1, 0],
      [6, 4],
    ],
  };
  return {
    $schema: "https://vega.github.io/schema/vega-lite/v6.json",
    title: {
      text: `Throughput against journal size: ${result.workload} on ${result.device}`,
      subtitle: `mean and 95 % interval over ${result.seeds.length} seeds; hollow points lose data`,
    },
    width: 640,
    height: 360,
    background: "white",
    data: { values },
    layer: [
      {
        mark: { type: "errorband" },
        encoding: {
          x,
          y: { field: "low", type: "quantitative", title: result.unit, scale },
          y2: { field: "high" },
          color,
        },
      },
      {
        mark: { type: "line" },
        encoding: {
          x,
          y,
          color,
          strokeDash: { field: "ceiling", type: "nominal", scale: dashed, legend: null },
        },
      },
      ...[true, false].map((safe) => ({
        transform: [{ filter: `datum.safe === ${safe}` }],
        mark: { type: "point", size: 50, filled: safe },
        encoding: { x, y, color },
      })),
    ],
  };
}

/** The specification drawn as SVG text. Vega is loaded here, so that nothing else pays for it. */
export async function toSvg(spec: object): Promise<string> {
  const [vega, vegaLite] = await Promise.all([import("vega"), import("vega-lite")]);
  const compiled = vegaLite.compile(spec as Parameters<typeof vegaLite.compile>[0]).spec;
  const view = new vega.View(vega.parse(compiled), { renderer: "none", logLevel: vega.Error });
  try {
    return await view.toSVG();
  } finally {
    view.finalize();
  }
}
