import type { Cell } from "../lab/cells.js";
import type { Fact } from "../lab/provenance.js";
import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";
import { answerSentence } from "./sentence.js";
import { formatCuts, formatEstimate, formatGap } from "./table.js";

const html = (text: string) =>
  text
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;");

/** A chart: its title for those who cannot see it, and its SVG. */
export interface HtmlChart {
  readonly title: string;
  readonly svg: string;
}

const STYLE = `
:root{color-scheme:light dark;--ink:#1b1b1f;--paper:#fff;--line:#c9c9d2;
--bad:#a4161a;--good:#1b6e3c}
@media(prefers-color-scheme:dark){
:root{--ink:#ececf1;--paper:#16161a;--line:#4a4a55;--bad:#ff8f8f;--good:#7ddb9f}}
body{font:16px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--paper);
max-width:60rem;margin:0 auto;padding:1rem}
table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
.scroll{overflow-x:auto}caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{border-bottom:1px solid var(--line);padding:.25rem .5rem;text-align:right;
vertical-align:top}
th[scope=row],td.l,th.l{text-align:left}
.bad{color:var(--bad);font-weight:600}.good{color:var(--good)}
figure{margin:1rem 0;background:#fff;color:#1b1b1f;padding:.5rem;
border:1px solid var(--line);overflow-x:auto}
figure svg{max-width:100%;height:auto}
pre{white-space:pre-wrap;border:1px solid var(--line);padding:.5rem}
.answer{font-size:1.15rem}
fieldset{border:1px solid var(--line);margin:1rem 0}label{margin-right:1rem}
@media print{fieldset{display:none}body{max-width:none}}`;

/** Shows the chosen rows of the table only. */
const SCRIPT = `
for(const box of document.querySelectorAll("input[data-row]"))box.addEventListener("change",()=>{
for(const line of document.querySelectorAll("tr[data-row]"))if(line.dataset.row===box.dataset.row)
line.hidden=!box.checked})`;

/** The safe row that wins back most at the worst size of the mainline row, in one sentence. */
function bestSentence(result: SweepResult): string {
  const today = result.cells.filter(({ row }) => row === "v4/jbd2");
  const worst = today.reduce<Cell | undefined>(
    (a, b) => (a === undefined || (b.gap?.percent ?? 0) < (a.gap?.percent ?? 0) ? b : a),
    undefined,
  );
  if (worst === undefined) return "";
  const rivals = result.cells.filter(
    ({ row, journalBlocks, verdict }) =>
      journalBlocks === worst.journalBlocks &&
      verdict === "consistent" &&
      row !== "v4/jbd2" &&
      !row.endsWith("/infinite-log"),
  );
  const best = rivals.reduce<Cell | undefined>(
    (a, b) => (a === undefined || b.throughput.mean > a.throughput.mean ? b : a),
    undefined,
  );
  const size = formatJournal(worst.journalBlocks);
  if (best === undefined || best.throughput.mean <= worst.throughput.mean) {
    return `At ${size} no safe policy of this sweep is faster than today's kernel.`;
  }
  const gain = 100 * (best.throughput.mean / worst.throughput.mean - 1);
  const faster = `${gain.toFixed(1)} % faster than v4/jbd2`;
  return `At ${size} the safe policy that wins back most is ${best.row}: ${faster}.`;
}

function verdictCell(cell: Cell): string {
  const cuts = cell.runs.reduce((sum, run) => sum + run.durableStatesJudged, 0);
  const safe = cell.verdict === "consistent";
  const windows = safe ? "" : ` (${cell.lossWindows} loss windows)`;
  const text = `${cell.verdict}${windows}, ${formatCuts(cuts)}`;
  return `<td class="l ${safe ? "good" : "bad"}">${html(text)}</td>`;
}

function cellsTable(result: SweepResult): string {
  const body = result.cells.map((cell) => {
    const gap = cell.row === result.base ? "base" : formatGap(cell.gap);
    const stall =
      cell.dominantStall.class === "none"
        ? "nothing"
        : `${cell.dominantStall.class} ${cell.dominantStall.percent.toFixed(1)} %`;
    return (
      `<tr data-row="${html(cell.row)}"><th scope="row">${html(cell.row)}</th>` +
      `<td>${formatJournal(cell.journalBlocks)}</td>` +
      `<td>${html(formatEstimate(cell.throughput))}</td>` +
      `<td>${html(gap)}</td>${verdictCell(cell)}<td class="l">${html(stall)}</td></tr>`
    );
  });
  const boxes = result.rows.map(
    (row) => `<label><input type="checkbox" checked data-row="${html(row)}"> ${html(row)}</label>`,
  );
  return (
    `<fieldset><legend>Rows shown</legend>${boxes.join("\n")}</fieldset>` +
    `<div class="scroll" role="region" aria-label="All cells" tabindex="0"><table>` +
    `<caption>Every cell: ${html(result.unit)}, gap to ${html(result.base)} [95 %], verdict` +
    `</caption>` +
    `<thead><tr><th class="l" scope="col">rule/policy</th><th scope="col">journal</th>` +
    `<th scope="col">${html(result.unit)}</th><th scope="col">gap</th>` +
    `<th class="l" scope="col">power cut</th>` +
    `<th class="l" scope="col">mostly waits for</th></tr></thead>` +
    `<tbody>\n${body.join("\n")}</tbody></table></div>`
  );
}

function factsTable(provenance: SweepResult["provenance"]): string {
  const rows = Object.entries<Fact<unknown>>(provenance).map(
    ([name, { value, source, note }]) =>
      `<tr><th scope="row">${html(name)}</th><td>${html(String(value))}</td>` +
      `<td class="l">${source}</td><td class="l">${html(note)}</td></tr>`,
  );
  return (
    `<div class="scroll" role="region" aria-label="Parameters" tabindex="0"><table>` +
    `<caption>Parameters of the first world and where they come from</caption><thead><tr>` +
    `<th class="l" scope="col">parameter</th><th scope="col">value</th>` +
    `<th class="l" scope="col">known</th><th class="l" scope="col">from</th></tr></thead>` +
    `<tbody>${rows.join("\n")}</tbody></table></div>`
  );
}

function settingOf(result: SweepResult): string {
  const { workload, device, setting, seeds, runsDone, runsWanted, version } = result;
  const runs = `${runsDone} of ${runsWanted} runs, jbdlab ${version}`;
  return `${workload} on ${device}, setting ${setting}, seeds ${seeds.join(", ")}: ${runs}.`;
}

/** A sweep as one HTML file that needs no network. */
export function reportHtml(result: SweepResult, charts: readonly HtmlChart[]): string {
  const losing = result.cells.filter(({ verdict }) => verdict !== "consistent");
  const rows = [...new Set(losing.map(({ row }) => row))];
  const crash =
    rows.length === 0
      ? "Every row survives a power cut at any moment."
      : `${rows.join(", ")} does not survive a power cut; every other row does.`;
  const figures = charts.map(
    ({ title, svg }) =>
      `<figure><div role="img" aria-label="${html(title)}">${svg}</div>` +
      `<figcaption>${html(title)}</figcaption></figure>`,
  );
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>jbdlab: did cleanup wait for commits?</title><style>${STYLE}</style></head><body><main>
<h1>Did cleanup wait for commits?</h1>
<p class="answer">${html(answerSentence(result))}</p>
<p class="answer">${html(bestSentence(result))}</p>
<p class="answer">${html(crash)}</p>
<p>${html(settingOf(result))}</p>
<h2>Charts</h2>
${figures.join("\n")}
<h2>Numbers</h2>
${cellsTable(result)}
<h2>To repeat it</h2>
<pre>${html(result.replay)}</pre>
<h2>What was assumed</h2>
${factsTable(result.provenance)}
</main><script>${SCRIPT}</script></body></html>
`;
}
