import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { parseWorkload } from "./registry.js";
import { handlesOf, writeAll } from "./testing/sink.js";

const context = { seed: 1, geometry: new Geometry(), journalBlocks: 4096 };

function blocksOf(text: string): number[][][] {
  return writeAll(parseWorkload(text).create(context)).map((records) =>
    handlesOf(records).map((handle) => handle.accesses.map((access) => access.block)),
  );
}

describe("hot-set", () => {
  it("changes every block of the set once per round, in the same order each time", () => {
    const [handles] = blocksOf("hot-set,handles=64,blocks=64,touches=4,cold=0");
    const order = handles!.flat();
    expect(order.length).toBe(256);
    const round = order.slice(0, 64);
    expect(new Set(round).size).toBe(64);
    expect(order.slice(64, 128)).toEqual(round);
    expect(round).not.toEqual([...round].sort((a, b) => a - b));
  });

  it("adds blocks that no handle has touched before, for all threads together", () => {
    const threads = blocksOf("hot-set,handles=100,blocks=10,touches=2,cold=3,threads=2");
    const cold = threads.flatMap((handles) => handles.flatMap((blocks) => blocks.slice(2)));
    expect(cold.length).toBe(600);
    expect(new Set(cold).size).toBe(600);
    const hot = threads.flatMap((handles) => handles.flatMap((blocks) => blocks.slice(0, 2)));
    expect(new Set(hot).size).toBe(10);
    expect(hot.some((block) => cold.includes(block))).toBe(false);
  });

  it("refuses a set that the file system cannot hold", () => {
    const tiny = { ...context, geometry: new Geometry({ size: 2 ** 31 }) };
    expect(() => parseWorkload("hot-set,blocks=600000").create(tiny)).toThrow(
      /workload hot-set: 600000 blocks do not fit behind block/,
    );
  });
});
