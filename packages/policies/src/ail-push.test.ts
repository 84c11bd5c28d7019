import { describe, expect, it } from "vitest";
import { probe } from "./testing.js";

const SHORT = { spaceLeft: 1023, dirtyBuffers: 50, oldestBlocks: 100, runningBlocks: 10 };
const PASS = ["dropClean(skip, 4096)", "moveTail(128)", "writeHome(1000)"];

describe("ail-push", () => {
  it("begins to push when less than a quarter of the log is free", () => {
    const policy = probe("ail-push");
    expect(policy.start()).toEqual(["armFreeBelow(1024)"]);
    expect(policy.at("freeBelow", SHORT)).toEqual([...PASS, "armTick(10000000)"]);
  });

  it("forces the log in the pass after one that met pinned buffers", () => {
    const policy = probe("ail-push");
    const pinned = { ...SHORT, oldestRejoined: 5 };
    expect(policy.at("freeBelow", pinned)).toEqual([...PASS, "armTick(10000000)"]);
    expect(policy.at("tick", SHORT)).toEqual(["requestCommit()", ...PASS, "armTick(10000000)"]);
    expect(policy.at("tick", SHORT)).toEqual([...PASS, "armTick(10000000)"]);
  });

  it("does not force the log while a commit is under way", () => {
    const policy = probe("ail-push");
    policy.at("freeBelow", { ...SHORT, oldestRejoined: 5 });
    expect(policy.at("tick", { ...SHORT, committing: true })).toEqual([
      ...PASS,
      "armTick(10000000)",
    ]);
  });

  it("pauses 20 ms when nine tenths are stuck and 50 ms when there is nothing to push", () => {
    const policy = probe("ail-push");
    const last = (values: object) => policy.at("tick", { ...SHORT, ...values }).at(-1);
    expect(last({ oldestRejoined: 90 })).toBe("armTick(10000000)");
    expect(last({ oldestRejoined: 91 })).toBe("armTick(20000000)");
    expect(last({ oldestBlocks: 0 })).toBe("armTick(50000000)");
  });

  it("stops when a quarter is free again", () => {
    const policy = probe("ail-push");
    policy.at("freeBelow", SHORT);
    expect(policy.at("tick", { ...SHORT, spaceLeft: 1024 })).toEqual(["armFreeBelow(1024)"]);
  });
});
