import { describe, expect, it } from "vitest";
import { parseKernel, parseRule, quote, replayRun, unsafeWarning } from "./options.js";

describe("options", () => {
  it("a kernel version means its cleanup rule and its maximum transaction", () => {
    expect(parseKernel("5.15")).toEqual({ rule: "v0", maxTransactionDivisor: 4 });
    expect(parseKernel("6.4.16")).toEqual({ rule: "v0", maxTransactionDivisor: 4 });
    expect(parseKernel("6.5-rc1")).toEqual({ rule: "v1", maxTransactionDivisor: 4 });
    expect(parseKernel("6.5")).toEqual({ rule: "v2", maxTransactionDivisor: 4 });
    expect(parseKernel("6.6")).toEqual({ rule: "v4", maxTransactionDivisor: 4 });
    expect(parseKernel("v6.11")).toEqual({ rule: "v4", maxTransactionDivisor: 3 });
    expect(() => parseKernel("linux")).toThrow(/expected a version such as 6\.12/);
  });

  it("only v2 and v3 are warned of", () => {
    expect(unsafeWarning("v2")).toMatch(/rule v2 is unsafe.*loses acknowledged data/);
    expect(unsafeWarning("v3")).toMatch(/rule v3 is unsafe/);
    for (const rule of ["v0", "v1", "v4"] as const) expect(unsafeWarning(rule)).toBeUndefined();
    expect(() => parseRule("v9")).toThrow(/expected one of v0, v1, v2, v3, v4/);
  });

  it("a replay command names every option that was set, quoted where a shell needs it", () => {
    expect(replayRun({ seed: 7, rule: "v3", workload: "journal:my file's.gz", flushMs: 0 })).toBe(
      "npx jbdlab run --rule v3 --seed 7 --workload 'journal:my file'\\''s.gz' --flush-ms 0",
    );
    expect(quote("threshold:low=0.5,high=0.6+skip")).toBe("threshold:low=0.5,high=0.6+skip");
  });
});
