import { describe, expect, it } from "vitest";
import { parseShard, runsOfShard } from "./shard.js";
import { planSweep } from "./sweep.js";

describe("shards", () => {
  it("every run is in exactly one of them, and they have about the same work", async () => {
    const plan = await planSweep({ journal: "4MiB..32MiB", seeds: [1, 2] });
    const shards = [1, 2, 3].map((index) => runsOfShard(plan, { index, count: 3 }));
    const all = shards.flat().sort((a, b) => a - b);
    expect(all).toEqual([...plan.runs.keys()]);
    const work = shards.map((runs) => runs.reduce((sum, run) => sum + (plan.work[run] ?? 0), 0));
    expect(Math.max(...work) / Math.min(...work)).toBeLessThan(1.1);
  });

  it("are named by hand, by a Slurm array or by an indexed Job", () => {
    expect(parseShard("2/10", {})).toEqual({ index: 2, count: 10 });
    const slurm = {
      SLURM_ARRAY_TASK_ID: "7",
      SLURM_ARRAY_TASK_MIN: "5",
      SLURM_ARRAY_TASK_COUNT: "4",
    };
    expect(parseShard("auto", slurm)).toEqual({ index: 3, count: 4 });
    expect(parseShard("auto/4", { JOB_COMPLETION_INDEX: "0" })).toEqual({ index: 1, count: 4 });
    expect(() => parseShard("auto", {})).toThrow(/SLURM_ARRAY_TASK_ID in the environment/);
    expect(() => parseShard("0/3", {})).toThrow(/1 <= index <= count/);
    expect(() => parseShard("two", {})).toThrow(/index\/count such as 2\/10, or auto, found "two"/);
  });
});
