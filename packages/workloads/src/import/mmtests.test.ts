import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { ImportError } from "./import-error.js";
import { parseText } from "./lines.js";
import { binomialQuantile } from "./mmtests/statistics.js";
import {
  compareRuns,
  MMTESTS_ERAS,
  type MmtestsTable,
  MmtestsTableParser,
  printTable,
  readMmtestsRuns,
  readMmtestsTable,
} from "./mmtests.js";

const GOLD = fileURLToPath(new URL("./fixtures/mmtests/", import.meta.url));
const CASES = [
  ["case1", ["590a809-parent", "590a809"]],
  ["case2", ["6.5-rc1-base", "6.5-rc1-fix"]],
] as const;

function compared(name: string, kernels: readonly string[], era: 1 | 2 | 3): MmtestsTable {
  return compareRuns(
    kernels.flatMap((kernel) => readMmtestsRuns(`${GOLD}${name}-data/${kernel}`)),
    era,
  );
}

describe.each(CASES)("%s", (name, kernels) => {
  test.each(MMTESTS_ERAS)("era %i: the real tool's table, byte for byte", (era) => {
    const gold = readFileSync(`${GOLD}${name}-era${era}.txt`, "latin1");
    expect(printTable(compared(name, kernels, era))).toBe(gold);
  });

  test.each(MMTESTS_ERAS)("era %i: a printed table is read back as it was", (era) => {
    const file = `${GOLD}${name}-era${era}.txt`;
    const table = readMmtestsTable(file);
    expect(table).toMatchObject({ era, columns: kernels });
    expect(printTable(table)).toBe(readFileSync(file, "latin1"));
    const quoted = readFileSync(file, "latin1").replaceAll(/^/gm, "> ");
    expect(parseText("mail", quoted, new MmtestsTableParser("mail"))).toEqual(table);
  });
});

describe("mmtests logs", () => {
  test("a folder of kernels gives one run each, whatever level it is given at", () => {
    const runs = readMmtestsRuns(`${GOLD}case1-data`);
    expect(runs.map(({ name }) => name)).toEqual(["590a809", "590a809-parent"]);
    expect([...runs[0]!.samples.keys()]).toEqual([1, 4]);
    const logs = readMmtestsRuns(`${GOLD}case1-data/590a809/iter-0/fsmark/logs`);
    expect(logs[0]!.samples).toEqual(runs[0]!.samples);
  });

  test("the same data are starred in one era and not in another", () => {
    const stars = (era: 1 | 2 | 3): string[] =>
      compared("case1", CASES[0][1], era)
        .rows.filter(({ cells }) => cells[1]!.significant)
        .map(({ statistic, threads }) => `${statistic} ${threads}`);
    expect(stars(1)).toEqual(["Hmean 1", "Hmean 4"]);
    expect(stars(2)).toEqual(["Max-95 1", "Max-95 4"]);
    expect(stars(3)).toEqual(["Hmean 4"]);
  });

  test("a folder without logs, and a file, are refused", () => {
    expect(() => readMmtestsRuns(`${GOLD}../traces`)).toThrow(
      /expected mmtests logs .*, found none/,
    );
    expect(() => readMmtestsRuns(`${GOLD}README.md`)).toThrow(/expected a folder, found a file/);
    expect(() => readMmtestsRuns(`${GOLD}absent`)).toThrow(ImportError);
  });

  test("a broken row is refused with its line", () => {
    const lines = readFileSync(`${GOLD}case1-era1.txt`, "latin1").split("\n");
    lines[4] = lines[4]!.replace("%", "");
    expect(() => parseText("t", lines.join("\n"), new MmtestsTableParser("t"))).toThrow(
      /^t:5: expected a row/,
    );
    const narrow = lines.slice(0, 4).concat("Min       4-files/sec    43480.60 (   0.00%)");
    expect(() => parseText("t", narrow.join("\n"), new MmtestsTableParser("t"))).toThrow(
      /^t:5: expected 2 columns/,
    );
  });
});

test("binomial quantiles are R's", () => {
  // qbinom(c(.025, .975), 29, .95), qbinom(.975, 4, .95), qbinom(.025, 1000, .95)
  expect([0.025, 0.975].map((p) => binomialQuantile(p, 29, 0.95))).toEqual([25, 29]);
  expect(binomialQuantile(0.975, 4, 0.95)).toBe(4);
  expect(binomialQuantile(0.025, 1000, 0.95)).toBe(936);
  expect(binomialQuantile(0.025, 0, 0.95)).toBe(0);
});
