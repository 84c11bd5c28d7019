import { withoutWallTime } from "../lab/options.js";
import type { Store } from "../lab/store.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { cellsCsv, runsCsv, stallsCsv } from "./csv.js";
import { type HtmlChart, reportHtml } from "./html.js";
import { gapSpec, stallSpec } from "./specs.js";
import { throughputSpec, toSvg } from "./svg.js";
import { sweepText } from "./sweep-text.js";

/** The result as files carry it: without wall times, so that equal sweeps give equal bytes. */
export function resultJson(result: SweepResult): string {
  const { wallMs: _, cells, ...rest } = result;
  const bare = cells.map((cell) => ({ ...cell, runs: cell.runs.map(withoutWallTime) }));
  return `${JSON.stringify({ ...rest, cells: bare }, null, 1)}\n`;
}

/** Writes every file of a sweep's report. */
export async function writeReport(store: Store, result: SweepResult): Promise<void> {
  const runs = result.cells.flatMap((cell) => cell.runs);
  store.write("result.json", resultJson(result));
  store.write("cells.csv", cellsCsv(result));
  store.write("runs.csv", runsCsv(runs));
  store.write("stalls.csv", stallsCsv(runs));
  store.write("report.txt", sweepText(result, { color: false, utf8: true, width: 72 }));
  const charts = [
    ["throughput", "Throughput against journal size", throughputSpec(result)],
    ["gap", `Gap to ${result.base} per journal size`, gapSpec(result)],
    ["stalls", "What handles wait for, per row and journal size", stallSpec(result)],
  ] as const;
  const drawn: HtmlChart[] = [];
  for (const [name, title, spec] of charts) {
    const svg = await toSvg(spec);
    store.write(`${name}.vl.json`, `${JSON.stringify(spec, null, 1)}\n`);
    store.write(`${name}.svg`, svg);
    drawn.push({ title, svg });
  }
  store.write("report.html", reportHtml(result, drawn));
}
