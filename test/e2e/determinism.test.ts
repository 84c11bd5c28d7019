import { describe, expect, it } from "vitest";
import { filesOf, jbdlab, scratchFolder } from "./command.js";

const SMALL = ["sweep", "--journal", "4MiB,8MiB", "--seeds", "2"];

async function report(words: readonly string[]): Promise<Record<string, string>> {
  const folder = scratchFolder();
  const { code, stderr } = await jbdlab([...SMALL, ...words, "--out", folder]);
  expect(code, stderr).toBe(0);
  return filesOf(folder);
}

describe("determinism", () => {
  it("a sweep's files are the same bytes on 1, 2 and 4 workers", async () => {
    const one = await report(["--workers", "1"]);
    expect(Object.keys(one)).toEqual([
      "cells.csv",
      "gap.svg",
      "gap.vl.json",
      "report.html",
      "report.txt",
      "result.json",
      "runs.csv",
      "stalls.csv",
      "stalls.svg",
      "stalls.vl.json",
      "throughput.svg",
      "throughput.vl.json",
    ]);
    expect(await report(["--workers", "2"])).toEqual(one);
    expect(await report(["--workers", "4"])).toEqual(one);
  });

  it("the same seed gives the same run, another seed another one", async () => {
    const run = async (seed: string) => {
      const { stdout } = await jbdlab(["run", "--journal", "4MiB", "--seed", seed, "--json"]);
      const { wallMs, ...rest } = JSON.parse(stdout);
      expect(wallMs).toBeGreaterThan(0);
      return rest;
    };
    const first = await run("5");
    expect(await run("5")).toEqual(first);
    expect((await run("6")).digest).not.toBe(first.digest);
  });

  it("the replay command of a cell gives that cell's run", async () => {
    const result = JSON.parse((await report([]))["result.json"] ?? "");
    const cell = result.cells.find((each: { row: string }) => each.row === "v3/jbd2");
    const words = cell.runs[1].replay.replace(/^npx jbdlab /, "").split(" ");
    const { stdout } = await jbdlab([...words, "--json"]);
    expect(JSON.parse(stdout).digest).toBe(cell.runs[1].digest);
  });
});
