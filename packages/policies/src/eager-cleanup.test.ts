import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";
import { Point } from "./points.js";
import { probe } from "./testing.js";

describe("eager-cleanup", () => {
  it("is asked at a commit's end only", () => {
    expect(instantiate("eager-cleanup").decisionMask).toBe(Point.commitFinished);
  });

  it("cleans as mode late does: stops at the first busy buffer, moves for half a maximum", () => {
    const late = probe("eager-cleanup");
    expect(late.at("commitFinished", { maxTransaction: 1024 })).toEqual([
      "dropClean(stop, 1048576)",
      "moveTail(512)",
    ]);
  });

  it("takes mode, budget and the least gain from its parameters", () => {
    const eager = probe("eager-cleanup:mode=skip,budget=100,minFreed=0");
    expect(eager.at("commitFinished")).toEqual(["dropClean(skip, 100)", "moveTail(1)"]);
  });
});
