// One million fsmark handles in the core and in the twin, one after the other, judge on:
// npx jiti test/twin/speed.ts [handles], after a build.
import { loadCore, Simulation } from "@jbdlab/core-wasm";
import { resolveWorld } from "jbdlab";
import { runTwin } from "./world.js";

const handles = Number(process.argv[2] ?? 1_000_000);
const files = Math.ceil(handles / 8);
const world = await resolveWorld({
  rule: "v4",
  journal: "64MiB",
  cpus: 1,
  workload: `fsmark,iterations=8,files=${files}`,
});
const core = await loadCore();

function report(
  name: string,
  work: () => { handles: number; touches: number; digest: string },
): void {
  const started = performance.now();
  const { handles: done, touches, digest } = work();
  const seconds = (performance.now() - started) / 1e3;
  const rate = (count: number) => `${(count / seconds / 1e6).toFixed(3)} M`;
  process.stdout.write(
    `${name}: ${done} handles in ${seconds.toFixed(2)} s, ${rate(done)} handles/s, ` +
      `${rate(touches)} buffer touches/s, digest ${digest}\n`,
  );
}

report("generator and core", () =>
  Simulation.create(core, world.config).run(world.makeWorkload(), world.makePolicy()),
);
report("generator and twin", () =>
  runTwin(world.config, world.makeWorkload(), world.makePolicy(), { judge: "index" }),
);
