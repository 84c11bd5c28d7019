import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";
import { Point } from "./points.js";
import { parsePolicy } from "./spec.js";
import { probe } from "./testing.js";

const LOW = { spaceLeft: 2000 };
const HIGH = { spaceLeft: 3000 };

describe("threshold with waits", () => {
  it("is asked by handles only: bg50 needs no other decision point", () => {
    expect(instantiate("threshold").decisionMask).toBe(Point.freeBelow);
  });

  it("checkpoints the oldest and arms the same threshold again, as bg50 does", () => {
    const bg50 = probe("threshold:low=0.5,high=0.5,waits=true");
    expect(bg50.start()).toEqual(["armFreeBelow(2048)"]);
    for (const spaceLeft of [2047, 100, 2000]) {
      expect(bg50.at("freeBelow", { spaceLeft })).toEqual([
        "checkpointOldest(2048)",
        "armFreeBelow(2048)",
      ]);
    }
  });

  it("goes on until high once it has begun, then waits for low", () => {
    const policy = probe("threshold:low=0.5,high=0.7");
    policy.start();
    expect(policy.at("freeBelow", LOW)).toEqual(["checkpointOldest(2867)", "armFreeBelow(4096)"]);
    expect(policy.at("freeBelow", { spaceLeft: 2500 })).toEqual([
      "checkpointOldest(2867)",
      "armFreeBelow(4096)",
    ]);
    expect(policy.at("freeBelow", HIGH)).toEqual(["armFreeBelow(2048)"]);
  });
});

describe("threshold without waits", () => {
  const policy = () => probe("threshold:waits=false,high=0.7,batch=64");

  it("does nothing at commits and completions while space is not short", () => {
    const idle = policy();
    idle.start();
    expect(idle.at("commitFinished", { ...LOW, dirtyBuffers: 9 })).toEqual([]);
    expect(idle.at("homeWriteCompleted", { ...LOW, dirtyBuffers: 9 })).toEqual([]);
  });

  it("drops, moves the tail and writes a batch, and again at each completion and commit", () => {
    const draining = policy();
    draining.start();
    const step = ["dropClean(skip, 4096)", "moveTail(512)", "writeHome(64)"];
    expect(draining.at("freeBelow", { ...LOW, dirtyBuffers: 9 })).toEqual(step);
    expect(draining.at("homeWriteCompleted", { ...LOW, dirtyBuffers: 9 })).toEqual(step);
    expect(draining.at("commitFinished", { ...LOW, dirtyBuffers: 9 })).toEqual(step);
  });

  it("asks nothing new of a busy worker, but kjournald still cleans at a commit's end", () => {
    const busy = policy();
    busy.start();
    busy.at("freeBelow", { ...LOW, dirtyBuffers: 9 });
    const pending = { ...LOW, dirtyBuffers: 9, backgroundPending: 1 };
    expect(busy.at("homeWriteCompleted", pending)).toEqual([]);
    expect(busy.at("commitFinished", pending)).toEqual(["dropClean(skip, 4096)", "moveTail(512)"]);
  });

  it("ends at high and arms low again", () => {
    const done = policy();
    done.start();
    done.at("freeBelow", LOW);
    expect(done.at("commitFinished", HIGH)).toEqual(["armFreeBelow(2048)"]);
    expect(done.at("commitFinished", LOW)).toEqual([]);
  });
});

describe("threshold's parameters", () => {
  it("high below low is refused with both values", () => {
    expect(() => parsePolicy("threshold:low=0.6")).toThrow(
      "policy threshold: parameter high: expected at least low (0.6), found 0.5",
    );
  });
});
