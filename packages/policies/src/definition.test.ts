import { describe, expect, it } from "vitest";
import { definePolicy } from "./policy.js";
import { listPolicies } from "./registry.js";

const GOOD = {
  name: "mine",
  summary: "s",
  idea: "i",
  source: "s",
  trigger: "t",
  cost: "c",
  whoWaits: "w",
  whySafe: "s",
  parameters: {},
  decisionPoints: ["tick"],
  decide() {},
};

const refused = (change: object) => () => definePolicy({ ...GOOD, ...change } as never);
const share = { kind: "share", default: 0.5, min: 0, max: 1, unit: "of it", help: "h" };

describe("definePolicy", () => {
  it("takes plain JavaScript and returns it frozen", () => {
    expect(definePolicy(GOOD as never)).toMatchObject(GOOD);
    expect(Object.isFrozen(definePolicy(GOOD as never))).toBe(true);
  });

  it.each<[string, object, RegExp]>([
    ["a missing doc line", { whySafe: undefined }, /^policy mine: whySafe: /],
    ["a summary of two lines", { summary: "a\nb" }, /^policy mine: summary: expected one line$/],
    [
      "an unknown decision point",
      { decisionPoints: ["often"] },
      /^policy mine: decisionPoints.0: /,
    ],
    ["a misspelled key", { desided() {} }, /^policy mine: .*"desided"/],
    [
      "a default out of range",
      { parameters: { low: { ...share, default: 2 } } },
      /^policy mine: parameters.low.default: expected a number from 0 to 1, found 2$/,
    ],
    [
      "a choice that is none",
      { parameters: { mode: { kind: "choice", default: "x", choices: ["y"], help: "h" } } },
      /^policy mine: parameters.mode.default: expected y, found "x"$/,
    ],
    ["no decide", { decide: 1 }, /^policy mine: decide: expected a function$/],
    ["a name with capitals", { name: "Mine" }, /^policy Mine: name: expected lower case/],
  ])("refuses %s and names the field", (_what, change, message) => {
    expect(refused(change)).toThrow(message);
  });

  it("says what was given when it is no policy at all", () => {
    expect(() => definePolicy(undefined as never)).toThrow(/^policy without a name \(undefined\)/);
  });
});

describe("every built-in policy", () => {
  it.each(listPolicies().map((policy) => [policy.name, policy] as const))(
    "%s can be declared anew as it stands",
    (_name, policy) => {
      expect(definePolicy(policy)).toEqual(policy);
    },
  );
});
