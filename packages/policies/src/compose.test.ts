import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";
import { Point } from "./points.js";
import { definePolicy, type PolicyDefinition } from "./policy.js";
import { specFor, specOf } from "./spec.js";
import { probe } from "./testing.js";

const DOC = {
  summary: "s",
  idea: "i",
  source: "s",
  trigger: "t",
  cost: "c",
  whoWaits: "w",
  whySafe: "s",
  parameters: {},
};

/** A part that asks for a commit whenever it is asked, after arming what it is told to. */
function part(name: string, arm: { freeBelow?: number; tickNs?: number; delayNs?: number }) {
  return definePolicy({
    ...DOC,
    name,
    decisionPoints: ["freeBelow", "tick", "commitFinished"],
    start(_view, answers) {
      if (arm.freeBelow !== undefined) answers.armFreeBelow(arm.freeBelow);
      if (arm.tickNs !== undefined) answers.armTick(arm.tickNs);
      if (arm.delayNs !== undefined) answers.delayHandles(arm.delayNs);
    },
    decide(_view, answers) {
      answers.writeHome(name.length);
    },
  });
}

function compose(...definitions: PolicyDefinition[]) {
  return probe(specOf(definitions.flatMap((definition) => specFor(definition).parts)));
}

describe("a composition", () => {
  it("late+bg50 is both: cleaning at a commit's end, checkpointing below half", () => {
    const both = probe("eager-cleanup+threshold");
    expect(both.start()).toEqual(["armFreeBelow(2048)"]);
    expect(both.at("commitFinished")).toEqual(["dropClean(stop, 1048576)", "moveTail(512)"]);
    expect(both.at("freeBelow", { spaceLeft: 2000 })).toEqual([
      "checkpointOldest(2048)",
      "armFreeBelow(2048)",
    ]);
  });

  it("has the name that reads back and hears what any part hears", () => {
    const driver = instantiate(" threshold:low=0.3 + eager-cleanup ");
    expect(driver.name).toBe("threshold:low=0.3+eager-cleanup");
    expect(driver.decisionMask).toBe(Point.freeBelow | Point.commitFinished);
  });

  it("arms the highest threshold and asks only the parts below theirs", () => {
    const both = compose(part("a", { freeBelow: 1000 }), part("bb", { freeBelow: 2000 }));
    expect(both.start()).toEqual(["armFreeBelow(2000)"]);
    expect(both.at("freeBelow", { spaceLeft: 1500 })).toEqual([
      "writeHome(2)",
      "armFreeBelow(1000)",
    ]);
    expect(both.at("freeBelow", { spaceLeft: 900 })).toEqual(["writeHome(1)"]);
    expect(both.at("freeBelow", { spaceLeft: 900 })).toEqual([]);
  });

  it("arms the earliest tick and the next one when it has fired", () => {
    const both = compose(part("a", { tickNs: 5000 }), part("bb", { tickNs: 7000 }));
    expect(both.start()).toEqual(["armTick(5000)"]);
    expect(both.at("tick", { timeNs: 5000 })).toEqual(["writeHome(1)", "armTick(2000)"]);
    expect(both.at("tick", { timeNs: 7000 })).toEqual(["writeHome(2)"]);
  });

  it("delays handles as long as the slowest part wants", () => {
    const both = compose(part("a", { delayNs: 5 }), part("bb", { delayNs: 3 }));
    expect(both.start()).toEqual(["delayHandles(5)"]);
  });

  it("cleans as thoroughly and moves the tail as soon as any part wants", () => {
    const both = probe("eager-cleanup:budget=9,minFreed=1+recovery-time:target=0.001");
    expect(both.at("commitFinished", { free: 0 })).toEqual([
      "dropClean(skip, 4096)",
      "moveTail(256)",
    ]);
  });

  it("starts every run afresh", () => {
    const both = compose(part("a", { tickNs: 5000 }), part("bb", { freeBelow: 9 }));
    const first = both.start();
    both.at("tick", { timeNs: 5000 });
    expect(both.start()).toEqual(first);
  });

  it("shares settings that agree and refuses those that do not", () => {
    expect(instantiate("ride+skip").declared).toMatchObject({
      commitCleanup: "skip",
      tailShare: 0.125,
    });
    expect(() => instantiate("ride+ridehome:tail=1")).toThrow(
      "policy ride+ridehome:tail=1: settings.tailShare: ride wants 0.125, ridehome:tail=1 wants 1",
    );
  });
});
