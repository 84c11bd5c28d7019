import { describe, expect, it } from "vitest";
import { findPolicy, listPolicies } from "./registry.js";
import { parsePolicy, specFor, splitPolicy } from "./spec.js";

describe("parsePolicy", () => {
  it("reads parameters by their kind and leaves the others at their defaults", () => {
    const [part] = parsePolicy("threshold:low=0.4,high=0.6,waits=false,batch=1e3").parts;
    expect(part?.definition).toBe(findPolicy("threshold"));
    expect(part?.params).toEqual({ low: 0.4, high: 0.6, waits: false, batch: 1000, minFreed: 0.5 });
  });

  it("names the same policy with the same text, whatever was written", () => {
    expect(parsePolicy("threshold:waits=true,high=0.5,low=0.50").text).toBe("threshold");
    expect(parsePolicy(" threshold : high=0.7, low=0.4 ").text).toBe("threshold:low=0.4,high=0.7");
    for (const text of ["eager-cleanup:minFreed=0.25+threshold:low=0.3", "jbd2"]) {
      expect(parsePolicy(parsePolicy(text).text).text).toBe(text);
    }
  });

  it("joins policies with a plus, but not inside a number", () => {
    const spec = parsePolicy("eager-cleanup:budget=1e+3+threshold");
    expect(spec.parts.map((part) => part.definition.name)).toEqual(["eager-cleanup", "threshold"]);
    expect(spec.parts[0]?.params["budget"]).toBe(1000);
  });

  it.each([
    ["treshold", 'unknown policy "treshold"; did you mean threshold?'],
    ["thr", 'unknown policy "thr"; did you mean threshold?'],
    ["", 'policy "": expected a policy\'s name, found ""'],
    ["jbd2+", 'policy "jbd2+": expected a policy\'s name, found ""'],
    ["threshold:low", 'policy "threshold:low": expected parameter=value, found "low"'],
    ["threshold:", 'policy "threshold:": expected parameter=value, found ""'],
    ["threshold:low=1,low=2", 'policy "threshold:low=1,low=2": parameter low is given twice'],
    ["threshold:lo=1", 'policy threshold: unknown parameter "lo"; did you mean low?'],
    ["jbd2:low=1", 'policy jbd2: unknown parameter "low"; it has no parameters'],
    [
      "threshold:low=2",
      "policy threshold: parameter low: expected a number from 0.01 to 0.95, found 2",
    ],
    [
      "threshold:low=half",
      'policy threshold: parameter low: expected a number from 0.01 to 0.95, found "half"',
    ],
    [
      "threshold:waits=maybe",
      'policy threshold: parameter waits: expected true or false, found "maybe"',
    ],
    [
      "eager-cleanup:mode=go",
      'policy eager-cleanup: parameter mode: expected stop | skip, found "go"',
    ],
    ["jbd2+jbd2", "policy jbd2+jbd2: jbd2 stands twice"],
  ])("refuses %j in one line", (text, message) => {
    expect(() => parsePolicy(text)).toThrow(
      expect.objectContaining({ name: "PolicyError", message }),
    );
  });
});

describe("splitPolicy", () => {
  it("takes a colon in a path for parameters only when a name and = follow", () => {
    expect(splitPolicy("./a:b/mine.ts:low=1")).toEqual([
      { ref: "./a:b/mine.ts", values: [["low", "1"]] },
    ]);
    expect(splitPolicy("file:///x/mine.js")).toEqual([{ ref: "file:///x/mine.js", values: [] }]);
  });
});

describe("specFor", () => {
  it("takes values instead of text and checks them the same way", () => {
    const spec = specFor(findPolicy("threshold"), { low: 0.25, high: 0.25 });
    expect(spec.text).toBe("threshold:low=0.25,high=0.25");
    expect(() => specFor(findPolicy("threshold"), { waits: 1 })).toThrow("expected true or false");
  });
});

describe("the registry", () => {
  it("lists mainline first and the others by name", () => {
    const names = listPolicies().map((policy) => policy.name);
    expect(names[0]).toBe("jbd2");
    expect(names.slice(1)).toEqual([...names.slice(1)].sort());
  });
});
