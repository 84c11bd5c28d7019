import { withoutWallTime } from "../lab/options.js";
import type { Store } from "../lab/store.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { cellsCsv, runsCsv, stallsCsv } from "./csv.js";
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
  const spec = throughputSpec(result);
  store.write("result.json", resultJson(result));
  store.write("cells.csv", cellsCsv(result));
  store.write("runs.csv", runsCsv(runs));
  store.write("stalls.csv", stallsCsv(runs));
  store.write("report.txt", sweepText(result, { color: false, utf8: true, width: 72 }));
  store.write("throughput.vl.json", `${JSON.stringify(spec, null, 1)}\n`);
  store.write("throughput.svg", await toSvg(spec));
}
