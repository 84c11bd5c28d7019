import { describe, expect, it } from "vitest";
import { complaints, median, medianRatios } from "./gate.js";
import { REFERENCE, tasks } from "./suites.js";

const baseline = { cpu: "x", node: "v20", ratios: { core: 2 } };
const roundsOf = (seconds: readonly number[]) => seconds.map((core) => ({ [REFERENCE]: 1, core }));

describe("benchmark gate", () => {
  it("one slow round of nine does not fail it", () => {
    const rounds = roundsOf([2, 2.1, 9, 1.9, 2, 2.2, 2, 2.1, 2]);
    expect(complaints(medianRatios(rounds, REFERENCE), baseline)).toEqual([]);
  });

  it("60 % more work fails it", () => {
    const rounds = roundsOf([3.2, 3.3, 3.1, 3.2, 3.2, 3, 3.4, 3.2, 3.2]);
    expect(complaints(medianRatios(rounds, REFERENCE), baseline)).toEqual([
      "core: 60 % slower than the baseline (ratio 3.200)",
    ]);
  });

  it("a slow machine does not fail it: the reference slows down as well", () => {
    const rounds = [1, 2, 3].map((slower) => ({ [REFERENCE]: slower, core: 2 * slower }));
    expect(complaints(medianRatios(rounds, REFERENCE), baseline)).toEqual([]);
  });

  it("a task without a baseline fails it", () => {
    expect(complaints({ other: 1 }, baseline)[0]).toMatch(/other: no baseline/);
  });

  it("the median of an even number of values is the middle of the middle two", () => {
    expect(median([4, 1, 3, 2])).toBe(2.5);
    expect(() => median([])).toThrow(RangeError);
  });

  it("every task does its work", async () => {
    for (const task of await tasks(0.02)) {
      expect(await task.work(), task.name).toBeGreaterThan(0);
    }
  });
});
