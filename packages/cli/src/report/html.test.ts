import { describe, expect, it } from "vitest";
import { sampleComparison } from "../testing/samples.js";
import { reportHtml } from "./html.js";
import { gapSpec, stallSpec } from "./specs.js";
import { toSvg } from "./svg.js";

const html = async () => {
  const result = sampleComparison();
  const charts = [
    { title: "Gap", svg: await toSvg(gapSpec(result)) },
    { title: "Waits", svg: await toSvg(stallSpec(result)) },
  ];
  return reportHtml(result, charts);
};

describe("report.html", () => {
  it("loads nothing from anywhere and is small", async () => {
    const text = await html();
    expect(text).not.toMatch(/(src|href)=|@import|url\(/);
    expect(text.length).toBeLessThan(1_500_000);
  });

  it("answers first: did cleanup wait, what wins it back, what a power cut does", async () => {
    const main = (await html()).split("<h2>")[0] ?? "";
    expect(main).toMatch(/Did cleanup wait for commits\?/);
    expect(main).toMatch(/v4\/jbd2 is \d+\.\d % slower than v3\/jbd2/);
    expect(main).toMatch(/v3\/jbd2 does not survive a power cut/);
  });

  it("has a language, a name for every chart, scopes for every header cell", async () => {
    const text = await html();
    expect(text).toMatch(/<html lang="en">/);
    expect(text.match(/role="img" aria-label="[^"]+"/g)?.length).toBeGreaterThanOrEqual(2);
    for (const cell of text.match(/<th[^>]*>/g) ?? []) expect(cell).toMatch(/^<th(ead)?[ >]/);
    const unscoped = (text.match(/<th [^>]*>/g) ?? []).filter((cell) => !cell.includes("scope="));
    expect(unscoped).toEqual([]);
  });

  it("shows a verdict in every line that has a throughput", async () => {
    const lines = (await html()).split("\n").filter((line) => line.startsWith('<tr data-row="'));
    expect(lines.length).toBe(sampleComparison().cells.length);
    for (const line of lines) expect(line).toMatch(/(consistent|loses-acknowledged-data).*cuts/);
  });

  it("escapes what a row is called", () => {
    const result = { ...sampleComparison(), workload: 'journal:<img src="x">&' };
    expect(reportHtml(result, [])).toContain("journal:&lt;img src=&quot;x&quot;&gt;&amp;");
  });
});
