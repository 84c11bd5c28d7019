import { execFile } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { afterAll, describe, expect, it } from "vitest";

const run = promisify(execFile);
const bin = fileURLToPath(new URL("../../packages/cli/bin/jbdlab.js", import.meta.url));
const fixtures = fileURLToPath(
  new URL("../../packages/workloads/src/import/fixtures", import.meta.url),
);
const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function jbdlab(...words: string[]) {
  try {
    const { stdout } = await run(process.execPath, [bin, ...words], { cwd: folder });
    return { code: 0, stdout, stderr: "" };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describe("the tools around a sweep", { timeout: 120_000 }, () => {
  it("inspect names the hottest blocks of a journal by the file system's layout", async () => {
    const files = ["fsmark-4k.journal.gz", "fsmark-4k.dumpe2fs.txt"];
    const paths = files.map((name) => join(fixtures, "journals", name));
    const { stdout } = await jbdlab("inspect", ...paths);
    expect(stdout).toMatch(/consumed 2 of 2 transactions/);
    expect(stdout).toMatch(/in 3 transactions +group-descriptors/);
    expect(stdout).toMatch(/2 live and 1 old transactions, 1264 blocks in the live ones/);
  });

  it("inspect refuses what it does not know with one line and exit code 2", async () => {
    const { code, stderr } = await jbdlab("inspect", bin);
    expect(code).toBe(2);
    expect(stderr.trim().split("\n").length).toBe(1);
    expect(stderr).toMatch(/^error: .*expected a journal, trace/);
  });

  it.each([1, 2, 3])("compare prints era %i byte for byte", async (era) => {
    const logs = ["590a809-parent", "590a809"].map((name) =>
      join(fixtures, "mmtests/case1-data", name),
    );
    const { stdout } = await jbdlab("compare", "--era", String(era), ...logs);
    expect(stdout).toBe(readFileSync(join(fixtures, `mmtests/case1-era${era}.txt`), "latin1"));
  });

  it("compare shows the verdict beside simulated columns, explain divides the gap", async () => {
    const world = ["--journal", "4MiB", "--seeds", "1"];
    const rows = ["--row", "v3/jbd2", "--row", "v4/jbd2"];
    await jbdlab("sweep", ...rows, ...world, "--out", join(folder, "report"));
    const { stdout } = await jbdlab("compare", join(folder, "report"));
    expect(stdout).toMatch(/v3-jbd2: loses-acknowledged-data\nv4-jbd2: consistent\n$/);
    const json = (await jbdlab("explain", ...world, "--json")).stdout;
    const { gapPercent, parts, counterfactuals } = JSON.parse(json);
    const sum = parts.reduce((total: number, part: { points: number }) => total + part.points, 0);
    expect(gapPercent).toBeLessThan(-5);
    expect(Math.abs(sum - gapPercent)).toBeLessThan(0.01);
    expect(counterfactuals[0].gapPercent).toBeGreaterThan(gapPercent);
  });

  it("validate takes runs of any size and flush cost, and names a broken line", async () => {
    const { writeFileSync } = await import("node:fs");
    const file = join(folder, "runs.csv");
    const head =
      "run,device_flush_ms,journal_mib,mode,files,files_per_sec_1,hmean,seconds,commits,handles," +
      "space_ms,commit_wait_n,tail_moves";
    const row = (mode: string, hmean: string) =>
      `f20_${mode}_j12,20,12,${mode},11400,13000,${hmean},0.9,2,12000,0,0,0`;
    writeFileSync(file, `${head}\n${row("v3", "13000")}\n${row("v4", "12500")}\n`);
    const words = ["validate", "--runs", file, "--seeds", "1", "--json"];
    const { rows } = JSON.parse((await jbdlab(...words)).stdout);
    expect(rows.map((each: { run: string }) => each.run)).toEqual(["f20_v3_j12", "f20_v4_j12"]);
    expect(Object.keys(rows[1].error)).toEqual([
      "hmeanGapPoints",
      "commitsPct",
      "handlesPerTransactionPct",
      "tailMoves",
      "commitWaits",
      "spaceSharePoints",
    ]);
    writeFileSync(file, `${head}\n${row("v3", "13000")}\n${row("v4", "many")}\n`);
    const { code, stderr } = await jbdlab(...words);
    expect(code).toBe(2);
    expect(stderr).toMatch(/runs.csv:3: column hmean: expected a number from .*, found "many"/);
  });
});

describe("new policy", { timeout: 120_000 }, () => {
  it("writes a policy that runs at once and a test beside it, and overwrites nothing", async () => {
    const { stdout } = await jbdlab("new", "policy", "my-own");
    expect(stdout).toMatch(/written: my-own.ts\nwritten: my-own.test.ts\n/);
    const { symlinkSync } = await import("node:fs");
    symlinkSync(
      fileURLToPath(new URL("../../node_modules", import.meta.url)),
      join(folder, "node_modules"),
    );
    const world = ["--journal", "4MiB", "--policy", "./my-own.ts:free=0.3", "--json"];
    const run = JSON.parse((await jbdlab("run", ...world)).stdout);
    expect(run.verdict).toBe("consistent");
    expect(run.background.calls).toBeGreaterThan(0);
    const again = await jbdlab("new", "policy", "my-own");
    expect(again.code).toBe(2);
    expect(again.stderr).toMatch(/my-own.ts: expected no such file, found one/);
  });
});

describe("shards", { timeout: 120_000 }, () => {
  it("merge to the same bytes as the whole sweep; a missing one is named", async () => {
    const world = ["--journal", "4MiB", "--seeds", "2", "--rule", "v3,v4", "--policy", "jbd2"];
    const out = (name: string) => join(folder, name);
    await jbdlab("sweep", ...world, "--out", out("whole"));
    for (const i of [1, 2]) await jbdlab("sweep", ...world, "--shard", `${i}/2`, "--out", out("s"));
    const { code } = await jbdlab("merge", out("s"), "--out", out("merged"));
    expect(code).toBe(0);
    for (const name of ["result.json", "cells.csv", "report.txt", "report.html"]) {
      expect(readFileSync(join(out("merged"), name)), name).toEqual(
        readFileSync(join(out("whole"), name)),
      );
    }
    const half = await jbdlab("merge", join(out("s"), "shard-2-of-2.json"));
    expect(half.code).toBe(2);
    expect(half.stderr).toMatch(/^error: shard 1\/2 is missing$/m);
  });
});
