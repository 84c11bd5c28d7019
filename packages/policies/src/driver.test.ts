import type { PolicyAnswers, PolicyView } from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { GuardedDriver } from "./driver.js";
import { PolicyError } from "./error.js";
import { Point } from "./points.js";
import { definePolicy } from "./policy.js";
import { specFor } from "./spec.js";
import { fakeView, RecordedAnswers } from "./testing.js";

type Decide = (view: PolicyView, answers: PolicyAnswers) => unknown;

function policy(decide: Decide) {
  return definePolicy({
    name: "odd",
    summary: "s",
    idea: "i",
    source: "s",
    trigger: "t",
    cost: "c",
    whoWaits: "w",
    whySafe: "s",
    parameters: {},
    decisionPoints: ["commitFinished"],
    decide: decide as () => void,
  });
}

/** The error of one decision at a commit's end, and what reached the core. */
function outcome(decide: Decide, options = {}) {
  const [part] = specFor(policy(decide)).parts;
  const driver = new GuardedDriver(part!, options);
  const core = new RecordedAnswers();
  let error: unknown;
  try {
    driver.decide(fakeView({ point: Point.commitFinished }), core);
  } catch (thrown) {
    error = thrown;
  }
  const broken = error instanceof PolicyError ? [error.rule, error.message] : error;
  return { broken, calls: core.take() };
}

describe("a policy that breaks a rule", () => {
  it.each<[string, Decide, string, string]>([
    [
      "throws",
      () => {
        throw new Error("boom\nsecond line");
      },
      "threw",
      "threw boom",
    ],
    ["returns something", () => 7, "returned-a-value", "expected no return value, found 7"],
    [
      "is asynchronous",
      async () => {},
      "returned-a-value",
      "expected no return value, found a promise",
    ],
    [
      "writes to its view",
      (view) => {
        (view as { free: number }).free = 1;
      },
      "mutated-its-view",
      "the view is read-only, but free was assigned",
    ],
    [
      "answers nonsense",
      (_view, answers) => answers.writeHome(Number.NaN),
      "illegal-answer",
      "writeHome(buffers): expected a number from 1 to 2147483647, found NaN",
    ],
    [
      "answers with text",
      (_view, answers) => answers.moveTail("1" as unknown as number),
      "illegal-answer",
      'moveTail(minFreed): expected a number from 0 to 2147483647, found "1"',
    ],
    [
      "names no cleanup mode",
      (_view, answers) => answers.dropClean("all" as "stop", 1),
      "illegal-answer",
      'dropClean(mode): expected stop | skip, found "all"',
    ],
    [
      "delays too long",
      (_view, answers) => answers.delayHandles(100e6 + 1),
      "illegal-answer",
      "delayHandles(ns): expected a number from 0 to 100000000, found 100000001",
    ],
    [
      "arms what it cannot hear",
      (_view, answers) => answers.armTick(1000),
      "illegal-answer",
      "armTick: tick is not among its decisionPoints",
    ],
    [
      "never stops answering",
      (_view, answers) => {
        while (true) answers.requestCommit();
      },
      "too-many-answers",
      "more than 64 answers in one decision",
    ],
  ])("one that %s is named, with the point and the rule", (_what, decide, rule, message) => {
    expect(outcome(decide).broken).toEqual([rule, `policy odd at commitFinished: ${message}`]);
  });

  it("cannot hide it by catching", () => {
    const { broken } = outcome((view, answers) => {
      try {
        (view as { free: number }).free = 1;
      } catch {
        answers.requestCommit();
      }
    });
    expect(broken).toContain("mutated-its-view");
  });

  it("sends the core nothing of the broken answer", () => {
    const { calls } = outcome((_view, answers) => {
      answers.writeHome(3);
      answers.writeHome(0);
    });
    expect(calls).toEqual(["writeHome(3)"]);
  });

  it("is stopped when it loops and a deadline was set", () => {
    const { broken } = outcome(
      () => {
        while (true);
      },
      { deadlineMs: 20 },
    );
    expect(broken).toEqual(["too-slow", "policy odd at commitFinished: not done after 20 ms"]);
  });

  it("cannot answer after its decision", () => {
    let kept: PolicyAnswers | undefined;
    outcome((_view, answers) => {
      kept = answers;
    });
    expect(() => kept?.requestCommit()).toThrow("answers are good during start and decide only");
  });
});

describe("a policy that breaks none", () => {
  it("has fractions cut off", () => {
    const { broken, calls } = outcome((view, answers) => answers.writeHome(view.free / 3));
    expect(broken).toBeUndefined();
    expect(calls).toEqual(["writeHome(1365)"]);
  });

  it("beats twice per decision, odd while it is asked", () => {
    const heartbeat = new Int32Array(new SharedArrayBuffer(4));
    const seen: number[] = [];
    outcome(() => void seen.push(Atomics.load(heartbeat, 0)), { heartbeat });
    expect([...seen, heartbeat[0]]).toEqual([1, 2]);
  });

  it("sees every field of the contract's view", () => {
    let seen: PolicyView | undefined;
    outcome((view) => {
      seen = { ...view };
    });
    expect(seen).toEqual(fakeView({ point: Point.commitFinished }));
  });
});
