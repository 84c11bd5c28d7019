import { describe, expect, it } from "vitest";
import { estimate, gap, harmonic } from "./statistics.js";

describe("statistics", () => {
  it("the mean of rates over equal work is harmonic", () => {
    expect(harmonic([10, 30])).toBeCloseTo(15);
    expect(harmonic([10, 0])).toBe(0);
    expect(() => harmonic([])).toThrow(RangeError);
  });

  it("the interval of three values uses Student's 4.303 for two degrees of freedom", () => {
    const { mean, low, high } = estimate([9, 10, 11]);
    expect(mean).toBe(10);
    expect(high ?? 0).toBeCloseTo(10 + 4.3027 / Math.sqrt(3), 3);
    expect(low ?? 0).toBeCloseTo(10 - 4.3027 / Math.sqrt(3), 3);
  });

  it("one value has no interval, equal values have an empty one", () => {
    expect(estimate([7])).toEqual({ mean: 7, low: null, high: null, n: 1 });
    expect(estimate([7, 7])).toEqual({ mean: 7, low: 7, high: 7, n: 2 });
  });

  it("a gap is in percent of the base and its Welch interval contains it", () => {
    const { percent, low, high } = gap([90, 91, 89], [100, 101, 99]);
    expect(percent).toBeCloseTo(-10);
    // difference -10, standard error sqrt(2/3), t(0.975, 4) = 2.776
    expect(low ?? 0).toBeCloseTo(-10 - 2.7764 * Math.sqrt(2 / 3), 2);
    expect(high ?? 0).toBeCloseTo(-10 + 2.7764 * Math.sqrt(2 / 3), 2);
  });

  it("a gap between repeated equal values has an empty interval", () => {
    expect(gap([90, 90], [100, 100])).toEqual({ percent: -10, low: -10, high: -10 });
    expect(gap([90], [100])).toEqual({ percent: -10, low: null, high: null });
  });
});
