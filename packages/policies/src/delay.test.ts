import { describe, expect, it } from "vitest";
import { delayNs } from "./delay.js";
import { probe } from "./testing.js";

/** Handles of the fake journal wait at 3040 blocks in use: delays begin at 1824, writes at 912. */
const used = (blocks: number, values: object = {}) => ({ free: 4096 - blocks, ...values });
const step = (batch: number) => ["dropClean(skip, 4096)", "moveTail(512)", `writeHome(${batch})`];

describe("delayNs", () => {
  it("is OpenZFS's scale (x-min)/(max-x), capped at 100 ms", () => {
    expect(delayNs(500_000, 80, 60, 100)).toBe(500_000);
    expect(delayNs(500_000, 90, 60, 100)).toBe(1_500_000);
    expect(delayNs(500_000, 60, 60, 100)).toBe(0);
    expect(delayNs(500_000, 999_999, 600_000, 1_000_000)).toBe(100e6);
  });

  it("is nothing at the maximum, where a handle waits for space instead", () => {
    expect(delayNs(500_000, 100, 60, 100)).toBe(0);
  });
});

describe("delay", () => {
  it("lets handles run free below 60 %", () => {
    expect(probe("delay").at("commitFinished", used(911))).toEqual([]);
  });

  it("delays above it, says so once, and looks again until it is over", () => {
    const policy = probe("delay:writeFrom=1");
    expect(policy.at("commitFinished", used(2432))).toEqual([
      "delayHandles(500000)",
      "armTick(1000000)",
    ]);
    expect(policy.at("tick", used(2432))).toEqual(["armTick(1000000)"]);
    expect(policy.at("tick", used(1000))).toEqual(["delayHandles(0)"]);
  });

  it("writes home from 30 % on, a fifth of a batch at first, all of it from 60 % on", () => {
    const policy = probe("delay:batch=100,scaleUs=0");
    expect(policy.at("commitFinished", used(912, { dirtyBuffers: 9 }))).toEqual(step(20));
    expect(policy.at("commitFinished", used(1368, { dirtyBuffers: 9 }))).toEqual(step(60));
    expect(policy.at("commitFinished", used(2500, { dirtyBuffers: 9 }))).toEqual(step(100));
  });
});
