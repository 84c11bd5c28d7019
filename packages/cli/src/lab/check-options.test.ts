import { describe, expect, it } from "vitest";
import { checkRunOptions, checkSweepOptions } from "./check-options.js";

describe("options of the programmatic API", () => {
  it("that make sense pass, unset ones too", () => {
    const setting = { journal: "16MiB", seed: 0, cpus: undefined, flushMs: 0.5, rule: "v4" };
    expect(() => checkRunOptions(setting)).not.toThrow();
    expect(() => checkSweepOptions({ rows: ["v3/jbd2"], seeds: [1], only: [0] })).not.toThrow();
  });

  it.each([
    [{ memory: 2 ** 30 }, 'run: memory: expected a text such as "1GiB", found 1073741824'],
    [{ seed: "x" }, 'run: seed: expected a whole number from 0 to 4294967295, found "x"'],
    [{ seed: 1.5 }, "run: seed: expected a whole number from 0 to 4294967295, found 1.5"],
    [{ flushMs: Number.NaN }, "run: flushMs: expected a number of at least 0, found null"],
    [{ policies: "jbd2" }, 'run: unknown option "policies"; did you mean policy?'],
    [{ maxTransactionDivisor: 5 }, "run: maxTransactionDivisor: expected 3 or 4, found 5"],
    [null, "run: expected an object of options, found null"],
    ["v4", 'run: expected an object of options, found "v4"'],
  ])("run(%j) is refused in one line", (options, message) => {
    expect(() => checkRunOptions(options)).toThrow(message);
  });

  it.each([
    [{ rows: "v3" }, 'sweep: rows: expected a list of rows, found "v3"'],
    [{ rows: [] }, "sweep: rows: expected at least one of rows, found []"],
    [
      { seeds: [1, "a"] },
      'sweep: seeds: 1: expected a whole number from 0 to 4294967295, found "a"',
    ],
    [{ rule: "v4" }, 'sweep: unknown option "rule"; did you mean rows?'],
  ])("sweep(%j) is refused in one line", (options, message) => {
    expect(() => checkSweepOptions(options)).toThrow(message);
  });
});
