import { quote } from "../lab/options.js";
import { formatJournal } from "../lab/sizes.js";
import type { Trial, Tuning } from "../lab/tune.js";
import { columns } from "./columns.js";

const signed = (value: number) => `${value < 0 ? "-" : "+"}${Math.abs(value).toFixed(1)}`;

function rows(
  trials: readonly Trial[],
  front: readonly Trial[],
  knee: Trial | undefined,
): string[] {
  const head = ["", "gain", "worst size", "99.9 % wait", "writes", "power cut", "policy"];
  const body = trials.map((trial) => [
    trial === knee ? "knee" : front.includes(trial) ? "front" : "",
    `${signed(trial.gainPercent)} %`,
    `${signed(trial.worstPercent)} %`,
    `${trial.p999WaitMs.toFixed(2)} ms`,
    trial.writeAmplification.toFixed(3),
    trial.verdict,
    trial.policy,
  ]);
  return columns([head, ...body], "lrrrrll");
}

/** Gain over writes: the front as F, the knee as K, other trials as a dot. */
function chart({ trials, front, knee }: Tuning): string[] {
  const [width, height] = [56, 12];
  const xs = trials.map((t) => t.writeAmplification);
  const ys = trials.map((t) => t.gainPercent);
  const [x0, x1, y0, y1] = [Math.min(...xs), Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const grid = Array.from({ length: height }, () => Array<string>(width).fill(" "));
  for (const trial of trials) {
    const x = Math.round(((trial.writeAmplification - x0) / (x1 - x0 || 1)) * (width - 1));
    const y = Math.round(((trial.gainPercent - y0) / (y1 - y0 || 1)) * (height - 1));
    const line = grid[height - 1 - y];
    if (line === undefined) continue;
    line[x] =
      trial === knee ? "K" : front.includes(trial) ? "F" : line[x] === " " ? "." : (line[x] ?? ".");
  }
  return [
    `gain over v4/jbd2, ${signed(y0)} % to ${signed(y1)} %`,
    ...grid.map((line) => `  |${line.join("")}`.trimEnd()),
    `  +${"-".repeat(width)}`,
    `   writes per logged block, ${x0.toFixed(3)} to ${x1.toFixed(3)}`,
  ];
}

/** A tuning, for people. */
export function tuningText(tuning: Tuning): string {
  const { policy, journals, trials, front, knee, sensitivity, tried } = tuning;
  const sizes = journals.map(formatJournal).join(",");
  const influence = Object.entries(sensitivity)
    .sort(([, a], [, b]) => Math.abs(b) - Math.abs(a))
    .map(([name, value]) => `${name} ${signed(value)}`);
  const best = knee ?? trials[0];
  const lines = [
    `${policy}: ${tried} sets of parameters on ${tuning.workload}, ${tuning.device}, ${sizes}`,
    ...rows(trials, front, knee),
    "",
    ...chart(tuning),
    "",
    `gain depends on (rank correlation): ${influence.join(", ")}`,
    best === undefined
      ? ""
      : `replay the knee: npx jbdlab sweep --row v4/jbd2 ` +
        `--row ${quote(`v4/${best.policy}`)} --journal ${sizes}`,
  ];
  return `${lines.join("\n")}\n`;
}
