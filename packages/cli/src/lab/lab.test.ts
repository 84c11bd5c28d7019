import { describe, expect, it } from "vitest";
import { checkCrash, compare, run } from "../index.js";
import { sampleComparison } from "../testing/samples.js";
import { planSweep, replaySweep, runPlan } from "./sweep.js";
import { resolveWorld } from "./world.js";

const SMALL = { workload: "fsmark,files=2000,iterations=2", journal: "4MiB", memory: "64MiB" };

describe("worlds", () => {
  it("defaults are filled in and every figure says where it comes from", async () => {
    const world = await resolveWorld(SMALL);
    expect(world.config).toMatchObject({ rule: "v4", seed: 1, cpus: 2, maxTransactionDivisor: 3 });
    for (const [name, fact] of Object.entries(world.provenance)) {
      expect(fact.source, name).toMatch(/^(measured|published|assumed|given|computed)$/);
    }
    expect(world.provenance["memoryBlocks"]).toMatchObject({ value: 16384, source: "given" });
  });

  it("memory defaults to half of the file data", async () => {
    const { config } = await resolveWorld({ ...SMALL, memory: undefined as never });
    expect(config.memoryBlocks).toBe(2000);
  });

  it("the setting of the kernel runs is theirs, and CPUs stretch the slice", async () => {
    const { config } = await resolveWorld({ setting: "kernel-runs", journal: "8MiB" });
    expect(config).toMatchObject({
      cpus: 1,
      maxTransactionDivisor: 4,
      commitIntervalNs: 20e9,
      dirtyWritebackNs: 270e6,
      device: { nsPerBlock: 40000, fuaNs: 320000, jitterPermille: 0 },
    });
    const four = await resolveWorld({ ...SMALL, cpus: 4 });
    expect(four.config.quantumNs).toBe(3 * 750000);
  });

  it("a policy may ask for a larger journal, within the largest", async () => {
    const world = await resolveWorld({ ...SMALL, policy: "bigger-journal:factor=4" });
    expect(world.config.journalBlocks).toBe(4096);
    expect(world.askedJournalBlocks).toBe(1024);
    const huge = { ...SMALL, journal: "16GiB", policy: "bigger-journal" };
    await expect(resolveWorld(huge)).rejects.toThrow(/above the largest, 16GiB/);
  });
});

describe("sweep plan", () => {
  it("every row does the same work, enough to wrap the largest of their logs", async () => {
    const rows = ["v4/jbd2", "v4/bigger-journal"];
    const plan = await planSweep({ rows, journal: "4MiB", seeds: [1, 2] });
    expect(plan.runs).toHaveLength(4);
    expect(new Set(plan.runs.map((each) => each.workload)).size).toBe(1);
    expect(new Set(plan.runs.map((each) => each.memory)).size).toBe(1);
    const twice = await planSweep({ rows: ["v4/jbd2"], journal: "8MiB" });
    expect(plan.runs[0]?.workload).toBe(twice.runs[0]?.workload);
    expect(twice.runs[0]?.workload).not.toBe(
      (await planSweep({ rows: ["v4/jbd2"], journal: "4MiB" })).runs[0]?.workload,
    );
  });

  it("rows are named in their canonical spelling", async () => {
    const rows = ["v4/jbd2", "v4/threshold:high=0.5,low=0.5"];
    const plan = await planSweep({ ...SMALL, rows, base: "v4/threshold:low=0.5" });
    expect(plan.rows).toEqual(["v4/jbd2", "v4/threshold"]);
    expect(plan.base).toBe("v4/threshold");
  });

  it("the replay command repeats rows, sizes, seeds and base", () => {
    const options = { rows: ["v3/jbd2"], seeds: [4, 9], base: "v3/jbd2", device: "nvme" };
    expect(replaySweep(options)).toBe(
      "npx jbdlab sweep --row v3/jbd2 --journal 4MiB..256MiB --device nvme --seeds list:4,9 " +
        "--base v3/jbd2",
    );
  });

  it("finished runs are taken over, nothing is run twice", async () => {
    const options = { ...SMALL, rows: ["v4/jbd2"], seeds: [1] };
    const plan = await planSweep(options);
    const finished = [await run(plan.runs[0])];
    const result = await runPlan(plan, { ...options, finished });
    expect(result.complete).toBe(true);
    expect(result.cells[0]?.runs[0]).toBe(finished[0]);
  });
});

describe("the programmatic interface", () => {
  it("runs a world; the same seed gives the same digest", async () => {
    const [first, second] = [await run(SMALL), await run(SMALL)];
    expect(first.verdict).toBe("consistent");
    expect(first.files).toBe(4000);
    expect(second.digest).toBe(first.digest);
    expect((await run({ ...SMALL, seed: 2 })).digest).not.toBe(first.digest);
  });

  it("compares runs with a base and says which of them lose data", () => {
    const [base, safe] = sampleComparison().cells;
    const { gap, addedStallSeconds, baseVerdict, verdict } = compare(
      safe?.runs ?? [],
      base?.runs ?? [],
    );
    expect(gap.percent).toBeCloseTo(-8.12, 1);
    expect(addedStallSeconds["log-space/forced-commit"]).toBeCloseTo(1);
    expect([baseVerdict, verdict]).toEqual(["loses-acknowledged-data", "consistent"]);
    expect(() => compare([], [])).toThrow(RangeError);
  });

  it("tells what a power cut would lose", async () => {
    const world = { setting: "kernel-runs", journal: "8MiB", flushMs: 80 };
    const unsafe = await checkCrash({ ...world, rule: "v3" });
    expect(unsafe.verdict).toBe("loses-acknowledged-data");
    expect(unsafe.lossWindowList.length).toBe(Math.min(64, unsafe.lossWindows));
    const safe = await checkCrash({ ...world, rule: "v4" });
    expect(safe).toMatchObject({ verdict: "consistent", lossWindows: 0 });
    expect(safe.durableStatesJudged).toBeGreaterThan(10);
  });
});
