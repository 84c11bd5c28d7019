import { describe, expect, it } from "vitest";
import { Random } from "./random.js";

describe("random numbers", () => {
  it("are the same for the same seed and stream, on every engine", () => {
    const random = new Random(1, 2);
    expect([random.u32(), random.u32(), random.u32()]).toMatchInlineSnapshot(`
      [
        259570588,
        1336516495,
        2056737244,
      ]
    `);
    expect(new Random(2 ** 40, 0).u32()).not.toBe(new Random(0, 0).u32());
    expect(new Random(1, 0).u32()).not.toBe(new Random(1, 1).u32());
  });

  it("are spread evenly", () => {
    const random = new Random(3);
    const counts = Array.from({ length: 10 }, () => 0);
    for (let i = 0; i < 100_000; i++) counts[random.below(10)]!++;
    for (const count of counts) expect(Math.abs(count - 10_000)).toBeLessThan(400);
    const units = Array.from({ length: 1000 }, () => random.unit());
    expect(Math.min(...units)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...units)).toBeLessThan(1);
  });
});
