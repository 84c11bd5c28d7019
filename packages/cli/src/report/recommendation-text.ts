import type { Answer, Recommendation, Recommendations } from "../lab/recommend.js";
import { formatJournal } from "../lab/sizes.js";
import { columns } from "./columns.js";
import { formatCuts } from "./table.js";

const signed = (value: number, digits = 1) =>
  `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(digits)}`;

const won = ({ wonBackPercent: percent }: Answer) =>
  percent === null ? "-" : `${percent.toFixed(0)} %`;

function sentence(size: Recommendation): string {
  const best = size.answers.find(({ policy }) => policy !== "jbd2" && !policy.startsWith("bigger"));
  const at = formatJournal(size.journalBlocks);
  const than = size.lossPercent < 0 ? "slower" : "faster";
  const percent = Math.abs(size.lossPercent).toFixed(1);
  const loss = `today's kernel is ${percent} % ${than} than the unsafe one`;
  if (best === undefined || best.gainPercent <= 0) return `${at}: ${loss}; no policy helps.`;
  const back = best.wonBackPercent === null ? "" : `, ${won(best)} of the loss`;
  return (
    `${at}: ${loss}; ${best.policy} wins ${signed(best.gainPercent)} %${back}, for ` +
    `${signed(best.homeWritesPercent, 0)} % home writes and ` +
    `${signed(best.flushesPercent, 0)} % flushes; it is ${best.verdict}.`
  );
}

function table(size: Recommendation): string[] {
  const head = [
    "policy",
    size.unit,
    "to v4",
    "won back",
    "home writes",
    "flushes",
    "99.9 % wait",
    "recovery",
    "memory",
    "power cut",
  ];
  const body = size.answers.map((answer) => [
    answer.policy,
    answer.rate.toFixed(0),
    `${signed(answer.gainPercent)} %`,
    won(answer),
    `${signed(answer.homeWritesPercent, 0)} %`,
    `${signed(answer.flushesPercent, 0)} %`,
    `${answer.p999WaitMs.toFixed(1)} ms`,
    `${answer.recoverySeconds.toFixed(2)} s`,
    `${answer.memoryMiB.toFixed(0)} MiB`,
    `${answer.verdict}, ${formatCuts(answer.cuts)}`,
  ]);
  return columns([head, ...body], "lrrrrrrrrl");
}

/** What to do, per journal size. */
export function recommendationText(result: Recommendations): string {
  const parts = result.sizes.map((size) =>
    [
      sentence(size),
      `  v3 (unsafe) ${size.unsafeRate.toFixed(0)}, v4 ${size.todayRate.toFixed(0)}, ` +
        `endless log ${size.ceilingRate.toFixed(0)} ${size.unit}`,
      ...table(size).map((line) => `  ${line}`),
      `  replay: ${size.replay}`,
    ].join("\n"),
  );
  const vanishes =
    result.vanishesAtBlocks === null
      ? "At none of 4MiB..256MiB is the loss below 2 %."
      : `From ${formatJournal(result.vanishesAtBlocks)} on the loss is below 2 %.`;
  return `${[
    `${result.workload} on ${result.device}, seeds ${result.seeds.join(", ")}`,
    ...parts,
    vanishes,
    "Recovery and memory are upper bounds: a full log read and written home; all of it pinned.",
  ].join("\n\n")}\n`;
}
