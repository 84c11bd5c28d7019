import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { jbdlab, scratchFolder } from "./command.js";

const PROMISED = [
  "seed",
  "rule",
  "policy",
  "workload",
  "device",
  "journalBlocks",
  "maxTransactionBlocks",
  "handles",
  "simulatedSeconds",
  "handlesPerSecond",
  "commits",
  "blocksPerCommit",
  "handlesPerTransaction",
  "forcedToClose",
  "checkpointWrites",
  "homeWrites",
  "logWrites",
  "longestWaitMs",
  "lossWindows",
  "verdict",
  "digest",
  "wallMs",
];

async function json(words: string) {
  const { code, stdout, stderr } = await jbdlab(["run", ...words.split(" "), "--json"]);
  expect(code, stderr).toBe(0);
  return { run: JSON.parse(stdout), stderr };
}

describe("jbdlab run", () => {
  it("prints one object with every promised field, percentages and times as numbers", async () => {
    const { run } = await json("--journal 4MiB --rule v4");
    for (const field of PROMISED) expect(run, field).toHaveProperty(field);
    expect(Object.keys(run.tailUpdates)).toEqual(["commit", "handle", "background"]);
    const classes = STALL_CLASSES.map((name) => run.stallSeconds[name]);
    for (const seconds of classes) expect(seconds).toBeGreaterThanOrEqual(0);
    const sum = classes.reduce((total, seconds) => total + seconds, 0);
    expect(sum).toBeCloseTo(run.stallSeconds.total, 9);
    expect(run.logWraps).toBeGreaterThanOrEqual(3);
    expect(run.verdict).toBe("consistent");
  });

  it("v3 warns that it is unsafe and lists its loss windows", async () => {
    const words = ["run", "--setting", "kernel-runs", "--journal", "8MiB", "--rule", "v3"];
    const { code, stdout, stderr } = await jbdlab(words);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^warning: rule v3 is unsafe: .*loses acknowledged data$/m);
    expect(stdout).toMatch(/verdict +loses-acknowledged-data/);
    expect(stdout).toMatch(/from .* ms a power cut loses updates of transaction \d+/);
  });

  it("in the world of the kernel runs v2 and v3 lose data, v0, v1 and v4 do not", async () => {
    const verdict = async (rule: string) =>
      (await json(`--setting kernel-runs --flush-ms 80 --journal 8MiB --rule ${rule}`)).run.verdict;
    expect(await verdict("v0")).toBe("consistent");
    expect(await verdict("v1")).toBe("consistent");
    expect(await verdict("v2")).toBe("loses-acknowledged-data");
    expect(await verdict("v3")).toBe("loses-acknowledged-data");
    expect(await verdict("v4")).toBe("consistent");
  });

  it("--kernel sets the rule and the maximum transaction", async () => {
    expect((await json("--journal 4MiB --kernel 6.4")).run).toMatchObject({
      rule: "v0",
      maxTransactionBlocks: 256,
    });
    expect((await json("--journal 4MiB --kernel 6.12")).run).toMatchObject({
      rule: "v4",
      maxTransactionBlocks: 341,
    });
  });

  it("help has examples for every command and exits with 0", async () => {
    for (const command of ["run", "sweep", "list"]) {
      const { code, stdout } = await jbdlab([command, "--help"]);
      expect(code).toBe(0);
      expect(stdout).toContain("Examples:");
      expect(stdout).toContain("Exit codes: 0 done, 2 bad input, 130 after Ctrl-C");
    }
  });

  it("list --json has every kind, and figures with their provenance", async () => {
    const { stdout } = await jbdlab(["list", "--json"]);
    const lists = JSON.parse(stdout);
    expect(Object.keys(lists)).toEqual(["policies", "workloads", "rules", "devices", "settings"]);
    for (const { facts } of lists.devices) {
      for (const fact of Object.values(facts)) {
        expect(fact).toMatchObject({
          source: expect.stringMatching(/^(measured|published|assumed)$/),
          note: expect.stringMatching(/./),
        });
      }
    }
  });

  it("a sweep of one row says what it can without a base to compare with", async () => {
    const words = ["sweep", "--row", "v4/jbd2", "--journal", "4MiB", "--seeds", "1"];
    const { code, stdout } = await jbdlab([...words, "--out", scratchFolder()]);
    expect(code).toBe(0);
    expect(stdout).toMatch(/Did cleanup wait for commits\? (Yes|No): at 4MiB/);
  });
});
