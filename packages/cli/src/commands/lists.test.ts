import { describe, expect, it } from "vitest";
import { splitList } from "./lists.js";
import { parseSeeds } from "./world-options.js";

describe("lists on the command line", () => {
  it("a parameter after a comma belongs to the item before it", () => {
    expect(splitList(["jbd2,threshold:low=0.5,high=0.6,eager-cleanup"])).toEqual([
      "jbd2",
      "threshold:low=0.5,high=0.6",
      "eager-cleanup",
    ]);
  });

  it("repeated options add up", () => {
    expect(splitList(["v3", "v4,v1"])).toEqual(["v3", "v4", "v1"]);
  });

  it("seeds are a count or a list", () => {
    expect(parseSeeds("3")).toEqual([1, 2, 3]);
    expect(parseSeeds("list:9,7")).toEqual([9, 7]);
    expect(() => parseSeeds("list:7,7")).toThrow(/repeats/);
    expect(() => parseSeeds("0")).toThrow(/--seeds/);
  });
});
