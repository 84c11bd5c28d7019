import { describe, expect, it } from "vitest";
import { flushPercent } from "./adaptive.js";
import { parsePolicy } from "./spec.js";
import { probe } from "./testing.js";

/** Handles of the fake journal wait at 4096 - 32 - 1024 = 3040 blocks in use. */
const used = (blocks: number) => ({ free: 4096 - blocks, dirtyBuffers: 9999 });
const CLEAN = ["dropClean(skip, 4096)", "moveTail(512)"];

describe("flushPercent", () => {
  it("is InnoDB's (ioMax/io)(f sqrt f)/7.5", () => {
    expect(flushPercent(100, 100, 1)).toBeCloseTo(1000 / 7.5, 9);
    expect(flushPercent(25, 100, 10)).toBeCloseTo((10 * 25 * 5) / 7.5, 9);
    expect(flushPercent(200, 100, 1) / flushPercent(100, 100, 1)).toBeCloseTo(2 ** 1.5, 9);
    expect(flushPercent(0, 100, 10)).toBe(0);
  });
});

describe("adaptive", () => {
  const policy = () => probe("adaptive:io=1000,ioMax=2000,intervalMs=100");

  it("looks once per interval", () => {
    expect(policy().start()).toEqual(["armTick(100000000)"]);
  });

  it("does nothing below a tenth of the limit", () => {
    expect(policy().at("tick", used(303))).toEqual(["armTick(100000000)"]);
  });

  it("asks for capacity times percent times interval, at most the maximum", () => {
    // A quarter of 7/8 of 3040 blocks: f = 25, 2 * 125 / 7.5 = 33.3 % of 1000/s for 0.1 s.
    expect(policy().at("tick", used(665))).toEqual([
      "armTick(100000000)",
      ...CLEAN,
      "writeHome(33)",
    ]);
    expect(policy().at("tick", used(2600)).at(-1)).toBe("writeHome(200)");
  });

  it("flushes at the maximum from 7/8 on and lets the worker checkpoint from 15/16 on", () => {
    expect(policy().at("tick", used(2660)).at(-1)).toBe("writeHome(200)");
    expect(policy().at("tick", used(2850)).at(-1)).toBe("checkpointOldest()");
  });

  it("leaves a busy worker alone", () => {
    expect(policy().at("tick", { ...used(2850), backgroundPending: 1 })).toEqual([
      "armTick(100000000)",
    ]);
  });

  it("wants a maximum that is no less than the capacity", () => {
    expect(() => parsePolicy("adaptive:io=10,ioMax=9")).toThrow(
      "parameter ioMax: expected at least io (10), found 9",
    );
  });
});
