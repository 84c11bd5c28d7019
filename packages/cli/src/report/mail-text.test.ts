import { expect, it } from "vitest";
import { sampleComparison } from "../testing/samples.js";
import { mailText } from "./mail-text.js";

it("a mail is ASCII, at most 72 columns wide, and has a verdict beside every throughput", () => {
  const text = mailText(sampleComparison());
  const lines = text.split("\n");
  expect(lines.filter((line) => line.length > 72)).toEqual([]);
  expect(/^[\x20-\x7e\n]*$/.test(text)).toBe(true);
  const rows = lines.filter((line) => /^ *(\S+iB)? +v\d\/\S+ +\d+/.test(line));
  expect(rows.length).toBe(4);
  for (const row of rows) expect(row).toMatch(/(LOSES DATA|consistent), \S+ cuts$/);
  expect(text).toMatch(/To repeat it:\nnpx jbdlab sweep/);
});
