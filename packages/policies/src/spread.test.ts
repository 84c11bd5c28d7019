import { describe, expect, it } from "vitest";
import { checkpointDistance, scheduledShare, spread } from "./spread.js";
import { probe } from "./testing.js";

describe("PostgreSQL's formulas", () => {
  it("1 GiB with target 0.9 fires after about 512 MiB", () => {
    const mib = checkpointDistance(262_144, 0.9) / 256;
    expect(mib).toBeCloseTo(1024 / 1.9, 1);
    expect(checkpointDistance(1000, 1)).toBe(500);
  });

  it("all writes are due when the target's share of the distance has gone by", () => {
    expect(scheduledShare(0.45, 0.9)).toBeCloseTo(0.5, 12);
    expect(scheduledShare(0.9, 0.9)).toBe(1);
    expect(scheduledShare(2, 0.9)).toBe(1);
  });
});

describe("spread", () => {
  // The fake journal: handles wait at 3040 blocks in use, so a checkpoint begins at 1600.
  const used = (blocks: number, values: object = {}) => ({ free: 4096 - blocks, ...values });
  const begun = () => {
    const policy = probe("spread");
    policy.at("commitFinished", used(1600, { checkpointBlocks: 900 }));
    return policy;
  };

  it("begins a checkpoint when its distance was logged, running blocks included", () => {
    const policy = probe("spread");
    const at = (blocks: number, runningBlocks: number) =>
      policy.at("commitStarting", used(blocks, { runningBlocks, checkpointBlocks: 900 }));
    expect(at(1000, 599)).toEqual([]);
    expect(at(1000, 600)).toEqual(["armTick(10000000)"]);
  });

  it("begins one after the timeout, too", () => {
    const policy = probe("spread:timeout=5");
    const view = { ...used(10, { checkpointBlocks: 5 }), timeNs: 5e9 };
    expect(policy.at("commitFinished", view)).toEqual(["armTick(10000000)"]);
  });

  it("writes as much as is due and no more", () => {
    const policy = begun();
    // 720 of 1600 blocks is 45 % of the distance: half of the 900 buffers are due.
    const half = used(2320);
    expect(policy.at("tick", half)).toEqual(["writeHome(450)", "armTick(10000000)"]);
    expect(policy.at("tick", half)).toEqual(["armTick(10000000)"]);
  });

  it("counts no log while a commit is writing it", () => {
    const policy = begun();
    expect(policy.at("tick", used(2320, { committing: true }))).toEqual(["armTick(10000000)"]);
  });

  it("waits for the worker, then frees what the checkpoint brought home", () => {
    const policy = begun();
    expect(policy.at("tick", used(3040))).toEqual(["writeHome(900)", "armTick(10000000)"]);
    expect(policy.at("tick", used(3040, { backgroundPending: 1 }))).toEqual(["armTick(10000000)"]);
    expect(policy.at("tick", used(3040))).toEqual(["dropClean(skip, 4096)", "moveTail(1)"]);
  });

  it("counts the next distance from where the last checkpoint began", () => {
    const policy = begun();
    policy.at("tick", used(3040));
    policy.at("tick", used(3040));
    expect(policy.at("commitFinished", used(3199, { checkpointBlocks: 9 }))).toEqual([]);
    expect(policy.at("commitFinished", used(3200, { checkpointBlocks: 9 }))).not.toEqual([]);
  });

  it("has published defaults", () => {
    expect(spread.parameters.target.default).toBe(0.9);
    expect(spread.parameters.timeout.default).toBe(300);
  });
});
