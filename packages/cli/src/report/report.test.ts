import { describe, expect, it } from "vitest";
import { sampleComparison, sampleRun, sampleSweep, stalls } from "../testing/samples.js";
import { sweepChart } from "./chart.js";
import { cellsCsv, runsCsv, stallsCsv } from "./csv.js";
import { lossLines, runText } from "./run-text.js";
import { answerSentence } from "./sentence.js";
import { throughputSpec, toSvg } from "./svg.js";
import { sweepText } from "./sweep-text.js";
import { sweepTable } from "./table.js";
import { resultJson } from "./write.js";

const plain = { color: false, utf8: false, width: 72 };

describe("sweep table", () => {
  it("every cell has throughput, gap with interval, verdict and dominant stall", () => {
    const lines = sweepTable(sampleComparison()).trimEnd().split("\n");
    expect(lines).toHaveLength(1 + 4);
    expect(lines[1]).toMatch(/16MiB {2}v3\/jbd2.* base .*loses-acknowledged-data \(12\)/);
    expect(lines[2]).toMatch(/v4\/jbd2 +11320\.0 ±0\.2% +-8\.1 % \[-8\.3, -7\.9\] +consistent/);
    expect(lines[2]).toMatch(/log-space\/tail-flush 14\.4%$/);
  });

  it("one seed has no interval", () => {
    const sweep = sampleSweep([sampleRun({ rule: "v3" }), sampleRun()], "v3/jbd2");
    expect(sweepTable(sweep)).toMatch(/v4\/jbd2 +10000\.0 +\+0\.0 % +consistent/);
  });
});

describe("sweep chart", () => {
  it("draws each row with its letter and its verdict, in ASCII, within the width", () => {
    const chart = sweepChart(sampleComparison(), plain);
    expect(chart).toMatch(/^[\n\x20-\x7e]*$/);
    expect(Math.max(...chart.split("\n").map((line) => line.length))).toBeLessThanOrEqual(72);
    expect(chart).toContain("A  v3/jbd2: loses-acknowledged-data at 16MiB, 32MiB");
    expect(chart).toContain("B  v4/jbd2: consistent");
    expect(chart.split("\n").filter((line) => /\| .*A/.test(line)).length).toBeGreaterThan(0);
    expect(chart.split("\n").filter((line) => /\| .*B/.test(line)).length).toBeGreaterThan(3);
  });

  it("a missing cell leaves a gap and no row leaves no chart", () => {
    const runs = sampleComparison().cells.flatMap((cell) => cell.runs);
    const partial = sampleSweep(runs.slice(0, -2), "v3/jbd2");
    expect(sweepChart(partial, plain)).toContain("v4/jbd2");
    expect(sweepChart({ ...partial, cells: [] }, plain)).toBe("");
  });

  it("colours only when asked", () => {
    expect(sweepChart(sampleComparison(), { ...plain, color: true })).toContain("\u001b[36mA");
    expect(sweepChart(sampleComparison(), plain)).not.toContain("\u001b");
  });
});

describe("the sentence", () => {
  it("says yes when the added stall is commit wait, and what the faster rule costs", () => {
    const text = answerSentence(sampleComparison());
    expect(text).toMatch(/^Yes: at 16MiB, its worst size, v4\/jbd2 is 8\.1 % slower than v3\/jbd2/);
    expect(text).toContain("0.38 s under v3/jbd2, 1.38 s under v4/jbd2: 100 % of the added stall");
    expect(text).toContain("loses-acknowledged-data");
  });

  it("says no when the added stall lies elsewhere", () => {
    const runs = [1, 2, 3].flatMap((seed) => [
      sampleRun({ seed, rule: "v3", filesPerSecond: 12000 + seed }),
      sampleRun({
        seed,
        filesPerSecond: 10000 + seed,
        stallSeconds: stalls({ "log-space/forced-commit": 1.38, shadow: 4 }),
      }),
    ]);
    expect(answerSentence(sampleSweep(runs, "v3/jbd2"))).toMatch(/^No: .*lies elsewhere\.$/);
  });

  it("does not call chance a loss", () => {
    const runs = [1, 2, 3].flatMap((seed) => [
      sampleRun({ seed, rule: "v3", filesPerSecond: 12000 + 900 * seed }),
      sampleRun({ seed, filesPerSecond: 11900 + 900 * seed }),
    ]);
    expect(answerSentence(sampleSweep(runs, "v3/jbd2"))).toMatch(/no more than chance/);
  });

  it("speaks of one row when there is nothing to compare with", () => {
    const text = answerSentence(sampleSweep([sampleRun()], "v4/jbd2"));
    expect(text).toMatch(
      /^Yes: at 16MiB the handles of v4\/jbd2 waited 1\.38 s .* 13\.8 % of the run/,
    );
  });
});

describe("files", () => {
  it("no line of a CSV has a throughput without a verdict", () => {
    const sweep = sampleComparison();
    const runs = sweep.cells.flatMap((cell) => cell.runs);
    for (const csv of [cellsCsv(sweep), runsCsv(runs), stallsCsv(runs)]) {
      const [head = "", ...lines] = csv.trimEnd().split("\n");
      expect(head.split(",")).toContain("verdict");
      for (const line of lines) expect(line).toMatch(/consistent|loses-acknowledged-data/);
    }
    expect(cellsCsv(sweep).trimEnd().split("\n")).toHaveLength(5);
    expect(stallsCsv(runs).trimEnd().split("\n")).toHaveLength(1 + 12 * 12);
  });

  it("no compared file carries a wall time", () => {
    const sweep = sampleComparison();
    expect(resultJson(sweep)).not.toContain("wallMs");
    expect(runsCsv(sweep.cells.flatMap((cell) => cell.runs))).not.toContain("wallMs");
  });

  it("the SVG is drawn from the specification with every row and its verdict", async () => {
    const svg = await toSvg(throughputSpec(sampleComparison()));
    expect(svg).toMatch(/^<svg/);
    expect(svg).toContain("v3/jbd2 (loses-acknowledged-data)");
    expect(svg).toContain("v4/jbd2 (consistent)");
  });
});

describe("texts", () => {
  it("a sweep's text lists every cell that is not consistent and how to repeat it", () => {
    const text = sweepText(sampleComparison(), plain, "out");
    expect(text).toContain("v3/jbd2 at 32MiB: loses-acknowledged-data, 12 loss windows");
    expect(text).toContain("replay: npx jbdlab sweep");
    expect(text).not.toContain("±");
  });

  it("a sweep's text names the cells whose log was not filled often enough", () => {
    const sweep = sampleSweep([sampleRun({ logWraps: 1.3 }), sampleRun({ rule: "v3" })], "v3/jbd2");
    expect(sweepText(sweep, plain)).toContain(
      "Filled the log less than 3 times:\n  v4/jbd2 at 16MiB: 1.3 times\n",
    );
    expect(sweepText({ ...sweep, wraps: null }, plain)).not.toContain("Filled the log");
  });

  it("a run's text has its verdict, its stalls and its loss windows", () => {
    const window = { block: 77, tid: 5, tailTid: 6, fromNs: 1e6, toNs: -1 };
    const run = sampleRun({ lossWindows: 1, lossWindowSeconds: 0.5, lossWindowList: [window] });
    expect(runText(run)).toMatch(/verdict +consistent/);
    expect(runText(run)).toMatch(/log-space\/forced-commit +1\.380 s +13\.8 % +11 waits/);
    expect(lossLines(run)[1]).toContain(
      "from 1.000 ms to the end a power cut loses updates of transaction 5",
    );
    expect(lossLines(sampleRun())).toEqual([]);
  });
});
