import { loadCore, RULES, type RunStats, Simulation } from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { differences } from "./twin/compare.js";
import { POLICIES } from "./twin/random-policy.js";
import { ANYTHING, type RandomWorld, randomWorld } from "./twin/random-world.js";
import { runTwin } from "./twin/world.js";

const WORLDS = 520;
const PER_TEST = 40;
const core = await loadCore();

const worldOf = (seed: number) => randomWorld(seed, ANYTHING);

function runCore(world: RandomWorld): RunStats {
  return Simulation.create(core, world.config).run(world.workload(), world.driver());
}
/** Runs one world in both; says how to repeat it when they differ. */
function compare(seed: number): RunStats {
  const world = worldOf(seed);
  const ran = runCore(world);
  const twin = runTwin(world.config, world.workload(), world.driver());
  const found = differences(ran, twin);
  if (found.length > 0) {
    const which = `world ${seed} (${world.config.rule}, ${world.policyName})`;
    const command = `TWIN_SEED=${seed} npx vitest run test/twin.test.ts`;
    expect.fail(`${which} differs; repeat with: ${command}\n${found.slice(0, 20).join("\n")}`);
  }
  return ran;
}

const single = process.env["TWIN_SEED"];

function oneWorld(seed: number): void {
  it(`world ${seed} is the same in core and twin`, () => {
    expect(compare(seed).complete).toBe(true);
  });
}

function allWorlds(): void {
  const seen: { world: RandomWorld; stats: RunStats }[] = [];
  for (let from = 0; from < WORLDS; from += PER_TEST) {
    it(`${from} to ${from + PER_TEST - 1} have the same digest and statistics in the twin`, () => {
      for (let seed = from; seed < from + PER_TEST; seed++) {
        seen.push({ world: worldOf(seed), stats: compare(seed) });
      }
    });
  }

  it("all rules, policies, thread counts and devices are among them", () => {
    const among = <T>(of: (world: RandomWorld) => T) => new Set(seen.map(({ world }) => of(world)));
    expect(among(({ config }) => config.rule)).toEqual(new Set(RULES));
    expect(among(({ policyName }) => policyName)).toEqual(new Set(Object.keys(POLICIES)));
    expect(among(({ config }) => config.threads)).toEqual(new Set([1, 2, 3, 4]));
    expect(among(({ config }) => config.cpus).size).toBeGreaterThan(1);
    expect(among(({ config }) => config.device.writeCache).size).toBe(2);
    expect(among(({ config }) => config.device.seekMaxNs > 0).size).toBe(2);
    expect(among(({ config }) => config.policy.infiniteLog).size).toBe(2);
  });

  it("everything that can happen happens in some of them", () => {
    const some = (what: (stats: RunStats) => number) =>
      seen.filter(({ stats }) => what(stats) > 0).length;
    const counts = {
      frozenCopies: some((s) => s.frozenCopies),
      rejoined: some((s) => s.rejoinedAtCommit),
      forcedToClose: some((s) => s.forcedToClose),
      checkpointWrites: some((s) => s.checkpointWrites),
      tailByCommit: some((s) => s.tailUpdates.commit),
      tailByHandle: some((s) => s.tailMovesBy.handle),
      tailByFlusher: some((s) => s.tailMovesBy.flusher),
      tailByWorker: some((s) => s.tailMovesBy.worker),
      freedRejoined: some((s) => s.cleanup.freedRejoined),
      stopLocked: some((s) => s.cleanup.stopLocked),
      dataWrites: some((s) => s.dataWrites),
      iterations: some((s) => s.iterations.length),
      runQueue: some((s) => s.runQueueSeconds),
      losses: some((s) => s.crash.lossWindowCount),
      ...Object.fromEntries(
        Object.keys(seen[0]?.stats.stallCounts ?? {}).map((name) => [
          name,
          some((s) => s.stallCounts[name as keyof RunStats["stallCounts"]]),
        ]),
      ),
      ...Object.fromEntries(
        Object.keys(seen[0]?.stats.commitReasons ?? {}).map((name) => [
          `commit: ${name}`,
          some((s) => s.commitReasons[name as keyof RunStats["commitReasons"]]),
        ]),
      ),
    };
    expect(Object.entries(counts).filter(([, n]) => n === 0)).toEqual([]);
  });

  it("only the rules that do not look at b_transaction lose data", () => {
    const losing = seen.filter(({ stats }) => stats.crash.verdict !== "consistent");
    expect(new Set(losing.map(({ world }) => world.config.rule))).toEqual(new Set(["v2", "v3"]));
  });

  it("a world that differs in its rule alone is told apart", () => {
    const losing = seen.find(({ stats }) => stats.crash.lossWindowCount > 0);
    if (losing === undefined) return expect.fail("no world loses data");
    const { config } = losing.world;
    const safe = runTwin({ ...config, rule: "v4" }, losing.world.workload(), losing.world.driver());
    expect(differences(losing.stats, safe)).toContain(
      `crash.verdict: core ${losing.stats.crash.verdict}, twin consistent`,
    );
  });
}

describe("random small worlds", () => {
  if (single === undefined) allWorlds();
  else oneWorld(Number(single));
});
