// Prints the model beside the reference kernel runs: npx jiti test/kernel-runs/table.ts [seeds],
// after a build.
import { type MeasuredRun, MODES, mean, measuredRuns, simulate } from "./compare.js";

const seeds = Array.from({ length: Number(process.argv[2] ?? 6) }, (_, i) => i + 1);
const percent = (value: number, base: number) => 100 * (value / base - 1);
const print = (...cells: readonly (string | number)[]) =>
  process.stdout.write(`${cells.map((cell) => String(cell).padStart(9)).join(" ")}\n`);

const base = new Map<string, { measured: MeasuredRun; simulated: readonly number[] }>();
const place = (run: MeasuredRun) => `${run.flushMs}/${run.journalMib}`;
print(
  "flush ms",
  "MiB",
  "mode",
  "files/s",
  "sim",
  "off %",
  "gap",
  "sim",
  "sd",
  "off",
  "waits",
  "sim",
  "wait s",
  "sim",
  "tails",
  "sim",
);
const runs = measuredRuns().filter((run) => run.mode in MODES);
for (const run of [...runs].sort((a, b) => Number(b.mode === "v3") - Number(a.mode === "v3"))) {
  const results = await Promise.all(seeds.map((seed) => simulate(run, seed)));
  const rates = results.map((each) => each.filesPerSecond);
  if (run.mode === "v3") base.set(place(run), { measured: run, simulated: rates });
  const v3 = base.get(place(run));
  if (v3 === undefined) continue;
  const gap = percent(run.filesPerSecond, v3.measured.filesPerSecond);
  const gaps = rates.map((rate, i) => percent(rate, v3.simulated[i] ?? rate));
  const sd = Math.sqrt(mean(gaps.map((each) => (each - mean(gaps)) ** 2)));
  print(
    run.flushMs,
    run.journalMib,
    run.mode,
    run.filesPerSecond.toFixed(0),
    mean(rates).toFixed(0),
    percent(mean(rates), run.filesPerSecond).toFixed(1),
    gap.toFixed(2),
    mean(gaps).toFixed(2),
    sd.toFixed(2),
    (mean(gaps) - gap).toFixed(2),
    run.commitWaits,
    mean(results.map((each) => each.commitWaits)).toFixed(1),
    run.commitWaitSeconds.toFixed(2),
    mean(results.map((each) => each.commitWaitSeconds)).toFixed(2),
    run.tailMoves,
    mean(results.map((each) => each.tailMoves)).toFixed(1),
  );
}
