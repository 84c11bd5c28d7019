import type { Explanation } from "../lab/explain.js";
import { formatJournal } from "../lab/sizes.js";
import { columns } from "./columns.js";

const signed = (value: number) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`;

/** Why a row is slower, for people. */
export function explanationText(e: Explanation): string {
  const [baseVerdict, rowVerdict] = e.verdicts;
  const size = formatJournal(e.journalBlocks);
  const worst =
    e.tried.length === 0 ? "" : `, the worst of ${e.tried.map(formatJournal).join(", ")}`;
  const total = e.parts.reduce((sum, { points }) => sum + points, 0);
  const waits = e.parts
    .filter(({ name }) => name.startsWith("waits:"))
    .reduce((sum, { points }) => sum + points, 0);
  const head = ["", e.base, e.row, "points"];
  const body = e.parts.map(({ name, baseSeconds, rowSeconds, points }) => [
    name,
    `${baseSeconds.toFixed(3)} s`,
    `${rowSeconds.toFixed(3)} s`,
    signed(points),
  ]);
  const counterfactuals = e.counterfactuals.map(({ name, gapPercent, verdicts }) => [
    `  ${name}`,
    `${signed(gapPercent)} %`,
    `${verdicts[0]} / ${verdicts[1]}`,
  ]);
  const lines = [
    `At ${size}${worst} (seeds ${e.seeds.join(", ")}):`,
    ...columns(
      [
        [`  ${e.base}`, `${e.baseRate.toFixed(1)} ${e.unit}`, baseVerdict],
        [`  ${e.row}`, `${e.rowRate.toFixed(1)} ${e.unit}`, rowVerdict],
      ],
      "lrl",
    ),
    `${e.row} does ${signed(e.gapPercent)} % in the same time. ` +
      "Its handle threads' time, class by class:",
    ...columns([head, ...body, ["sum", "", "", signed(total)]], "lrrr"),
    "",
    ...(e.chain.length === 0 ? [] : [`Most added waiting: ${e.chain.join(" <- ")}`, ""]),
    "The gap when one thing is different for both rows:",
    ...columns(counterfactuals, "lrl"),
    "",
    `${signed(waits)} of ${signed(e.gapPercent)} points are waits; ` +
      (e.verdicts[0] === "consistent"
        ? "both rows survive a power cut."
        : `${e.base} does not survive a power cut: ${e.verdicts[0]}.`),
    `replay: ${e.replay}`,
  ];
  return `${lines.join("\n")}\n`;
}
