import { describe, expect, it } from "vitest";
import { probe } from "./testing.js";

const SHORT = { spaceLeft: 2047, oldestRejoined: 1, runningBlocks: 256 };

describe("early-commit", () => {
  it("asks for the commit while there is still space", () => {
    const policy = probe("early-commit");
    expect(policy.start()).toEqual(["armFreeBelow(2048)"]);
    expect(policy.at("freeBelow", SHORT)).toEqual(["requestCommit()"]);
  });

  it("never asks twice: while something commits it waits for the end", () => {
    const policy = probe("early-commit");
    expect(policy.at("freeBelow", { ...SHORT, committing: true })).toEqual([]);
    expect(policy.at("commitFinished", SHORT)).toEqual(["requestCommit()"]);
  });

  it("looks again a little later when nothing is pinned or the transaction is too small", () => {
    const policy = probe("early-commit:recheckMs=2");
    expect(policy.at("freeBelow", { ...SHORT, runningBlocks: 255 })).toEqual(["armTick(2000000)"]);
    expect(policy.at("tick", { ...SHORT, oldestRejoined: 0 })).toEqual(["armTick(2000000)"]);
    expect(policy.at("tick", SHORT)).toEqual(["requestCommit()"]);
  });

  it("rests while there is space", () => {
    const policy = probe("early-commit");
    expect(policy.at("commitFinished", { ...SHORT, spaceLeft: 2048 })).toEqual([
      "armFreeBelow(2048)",
    ]);
  });
});
