// npm run bench [-- --update]: times every task against the frozen reference task and gates on the
// recorded ratios.
import { readFileSync, writeFileSync } from "node:fs";
import { cpus } from "node:os";
import { Bench } from "tinybench";
import { type Baseline, complaints, medianRatios, ROUNDS } from "./gate.js";
import { REFERENCE, type Task, tasks } from "./suites.js";

const baselineFile = new URL("../baseline.json", import.meta.url);

/** Median seconds per call of every task, timed one after the other. */
async function round(all: readonly Task[]): Promise<Record<string, number>> {
  const bench = new Bench({ time: 0, iterations: 5, warmupTime: 0, warmupIterations: 1 });
  for (const task of all) bench.add(task.name, async () => void (await task.work()));
  await bench.run();
  return Object.fromEntries(
    bench.tasks.map(({ name, result }) => {
      if (result.state !== "completed") throw new Error(`${name}: ${result.state}`);
      return [name, result.latency.p50 / 1000];
    }),
  );
}

async function main(): Promise<void> {
  const all = await tasks(1);
  const handles = new Map<string, number>();
  for (const task of all) handles.set(task.name, await task.work());
  const rounds: Record<string, number>[] = [];
  for (let i = 0; i < ROUNDS; i++) rounds.push(await round(all));
  const ratios = medianRatios(rounds, REFERENCE);
  const cpu = cpus()[0]?.model ?? "unknown";
  process.stdout.write(`${cpu}, Node ${process.version}\n`);
  for (const [name, ratio] of Object.entries(ratios)) {
    const fastest = Math.min(...rounds.map((each) => each[name] ?? Number.NaN));
    const rate = ((handles.get(name) ?? 0) / fastest / 1e6).toFixed(2);
    process.stdout.write(`${name}: ${rate} M handles/s, ${ratio.toFixed(3)} of the reference\n`);
  }
  if (process.argv.includes("--update")) {
    const baseline: Baseline = { cpu, node: process.version, ratios };
    writeFileSync(baselineFile, `${JSON.stringify(baseline, null, 2)}\n`);
    return;
  }
  const baseline = JSON.parse(readFileSync(baselineFile, "utf8")) as Baseline;
  if (baseline.cpu !== cpu) {
    process.stdout.write(`the baseline is of another CPU (${baseline.cpu}): not gated\n`);
    return;
  }
  const slow = complaints(ratios, baseline);
  for (const line of slow) process.stderr.write(`${line}\n`);
  process.exitCode = slow.length === 0 ? 0 : 1;
}

await main();
