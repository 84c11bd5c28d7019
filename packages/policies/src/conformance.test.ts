import {
  loadCore,
  type PolicyAnswers,
  type PolicyDriver,
  type PolicyView,
  type RunStats,
  Simulation,
} from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { checkConformance, conformanceCases, type Simulate } from "./conformance.js";
import { definePolicy } from "./policy.js";
import { listPolicies } from "./registry.js";
import { parsePolicy } from "./spec.js";

const core = await loadCore();
const simulate: Simulate = (config, driver, workload) =>
  Simulation.create(core, config).run(workload, driver);

const COMPOSITIONS = [
  "eager-cleanup+threshold",
  "threshold:waits=false,high=0.6+early-commit",
  "adaptive+delay+eager-on-completion",
  "ridehome+spread+ail-push",
];

describe.each([
  ...listPolicies().map((policy) => [policy.name, policy] as const),
  ...COMPOSITIONS.map((text) => [text, parsePolicy(text)] as const),
])("%s", (_name, policy) => {
  it.each(conformanceCases(policy, simulate).map((each) => [each.name, each.check] as const))(
    "%s",
    (_case, check) => check(),
  );
});

describe("the kit finds", () => {
  type Decide = (view: PolicyView, answers: PolicyAnswers, params: object, state: object) => void;
  const planted = (decide: Decide, values: object = {}) =>
    definePolicy({
      name: "planted",
      summary: "s",
      idea: "i",
      source: "s",
      trigger: "t",
      cost: "c",
      whoWaits: "w",
      whySafe: "s",
      parameters: {},
      decisionPoints: ["commitFinished", "tick", "homeWriteCompleted"],
      start: (_view, answers) => answers.armTick(1e6),
      decide,
      ...values,
    });
  const complaints = (decide: Decide, values?: object, run: Simulate = simulate) =>
    checkConformance(planted(decide, values), run, { worlds: 2, maxDecisions: 5000 });

  it("an illegal answer, with the world and the rule", async () => {
    const found = await complaints((view, answers) => answers.writeHome(view.free - view.free));
    expect(found[0]).toBe(
      "gives no illegal answer: world 1, planted: policy planted at tick: " +
        "writeHome(buffers): expected a number from 1 to 2147483647, found 0",
    );
  });

  it("a policy that throws", async () => {
    const found = await complaints(() => {
      throw new Error("boom");
    });
    expect(found[0]).toMatch(/policy planted at \w+: threw boom$/);
  });

  it("a policy that never leaves a decision", async () => {
    const found = await complaints(() => {
      while (true);
    });
    expect(found[0]).toMatch(/policy planted at \w+: not done after 2000 ms$/);
  });

  it("a policy that is asked without end", async () => {
    const found = await complaints((_view, answers) => answers.armTick(1000));
    expect(found).toEqual(["terminates: world 1, planted: more than 5000 decisions"]);
  });

  it("a policy that floods the worker", async () => {
    const found = await complaints((_view, answers) => {
      for (let i = 0; i < 60; i++) answers.checkpointOldest();
      answers.armTick(1000);
    });
    expect(found[0]).toMatch(/commands waiting/);
  });

  it("a policy that remembers the run before", async () => {
    let asked = 0;
    const found = await complaints((view, answers) => {
      asked++;
      if (asked % 7 === 0 && view.runningBlocks > 0) answers.requestCommit();
    });
    expect(found[0]).toBe("is deterministic: world 1, planted: two runs got different answers");
  });

  it("lost data, whatever the speed", async () => {
    const unsafe: Simulate = (config, driver, workload) =>
      simulate({ ...config, rule: "v2" }, driver, workload);
    const found = await checkConformance(parsePolicy("jbd2"), unsafe, { worlds: 5 });
    expect(found).toHaveLength(1);
    expect(found[0]).toMatch(/^opens no loss window: world \d+, jbd2: loses-acknowledged-data, /);
  });

  it("a run that did not end", async () => {
    const cut: Simulate = async (config, driver: PolicyDriver, workload) => {
      const stats: RunStats = await simulate(config, driver, workload);
      return { ...stats, complete: false };
    };
    expect(await complaints(() => {}, {}, cut)).toEqual([
      "terminates: world 1, planted: the run did not end",
    ]);
  });
});
