import { describe, expect, it } from "vitest";
import { probe } from "./testing.js";

const LISTED = { checkpointTransactions: 2, maxTransaction: 1024 };

describe("eager-on-completion", () => {
  it("drops what a batch of home writes made clean, within its budget", () => {
    const policy = probe("eager-on-completion:budget=99");
    expect(policy.at("homeWriteCompleted", LISTED)).toEqual(["dropClean(skip, 99)"]);
  });

  it("moves the tail once half a maximum transaction can be freed", () => {
    const policy = probe("eager-on-completion");
    const drop = "dropClean(skip, 256)";
    expect(policy.at("homeWriteCompleted", { ...LISTED, tailGain: 511 })).toEqual([drop]);
    expect(policy.at("homeWriteCompleted", { ...LISTED, tailGain: 512 })).toEqual([
      drop,
      "moveTail(512)",
    ]);
  });

  it("gives the worker nothing while it is busy or without checkpoint lists", () => {
    const policy = probe("eager-on-completion");
    expect(policy.at("homeWriteCompleted", { ...LISTED, backgroundPending: 1 })).toEqual([]);
    expect(policy.at("homeWriteCompleted", { checkpointTransactions: 0 })).toEqual([]);
  });
});
