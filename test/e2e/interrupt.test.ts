import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { filesOf, jbdlab, keptRuns, scratchFolder, start, untilKept } from "./command.js";

const SWEEP = ["sweep", "--row", "v3/jbd2,v4/jbd2", "--journal", "4MiB..32MiB", "--seeds", "3"];

describe("interruption", () => {
  it(
    "Ctrl-C keeps what is finished, says so and exits with 130; --resume completes " + "it",
    async () => {
      const folder = scratchFolder();
      const { child, ended } = start([...SWEEP, "--workers", "1", "--out", folder]);
      await untilKept(folder, 2);
      child.kill("SIGINT");
      const { code, stdout, stderr } = await ended;
      expect(code, stderr).toBe(130);
      expect(stderr).toContain("--resume");
      expect(stdout).toMatch(/v4\/jbd2|v3\/jbd2/);
      const partial = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
      expect(partial.complete).toBe(false);
      expect(partial.runsDone).toBeGreaterThanOrEqual(2);
      expect(partial.runsDone).toBeLessThan(24);
      expect(keptRuns(folder)).toBe(partial.runsDone);
      await expectResumed(folder);
    },
  );

  it("kill -9 loses no finished run", async () => {
    const folder = scratchFolder();
    const { child, ended } = start([...SWEEP, "--out", folder]);
    await untilKept(folder, 3);
    child.kill("SIGKILL");
    expect((await ended).signal).toBe("SIGKILL");
    expect(keptRuns(folder)).toBeGreaterThanOrEqual(3);
    await expectResumed(folder);
  });

  it("runs of another build are not taken over", async () => {
    const folder = scratchFolder();
    const words = [...SWEEP.slice(0, 3), "--journal", "4MiB", "--seeds", "1", "--out", folder];
    await jbdlab(words);
    const { cells } = JSON.parse(readFileSync(join(folder, "result.json"), "utf8"));
    const run = { ...cells[0].runs[0], digest: "0000000000000000" };
    const lines = [{ pid: 2 ** 30 }, run].map((each) => JSON.stringify(each));
    const left = join(folder, "unfinished-00000000-0000-4000-8000-000000000000.jsonl");
    writeFileSync(left, `${lines.join("\n")}\n`);
    const { code, stderr } = await jbdlab([...words, "--resume"]);
    expect(code).toBe(2);
    expect(stderr).toContain("are of another build");
    expect(readFileSync(left, "utf8")).toContain("0000000000000000");
  });

  it("--resume leaves alone what another sweep left", async () => {
    const folder = scratchFolder();
    const left = join(folder, "unfinished-00000000-0000-4000-8000-000000000000.jsonl");
    const lines = [{ pid: 2 ** 30 }, { replay: "npx jbdlab run --seed 99" }];
    writeFileSync(left, `${lines.map((each) => JSON.stringify(each)).join("\n")}\n`);
    const words = [...SWEEP.slice(0, 3), "--journal", "4MiB", "--seeds", "1", "--resume"];
    expect((await jbdlab([...words, "--out", folder])).code).toBe(0);
    expect(readFileSync(left, "utf8")).toContain("--seed 99");
  });

  it("two sweeps into one folder at once do not disturb each other", async () => {
    const folder = scratchFolder();
    const words = ["sweep", "--journal", "4MiB", "--seeds", "1", "--workers", "1", "--out", folder];
    const both = await Promise.all([jbdlab(words), jbdlab(words)]);
    expect(both.map(({ code }) => code)).toEqual([0, 0]);
    const alone = scratchFolder();
    await jbdlab([...words.slice(0, -1), alone]);
    expect(filesOf(folder)).toEqual(filesOf(alone));
  });
});

/**
 * The folder's sweep, resumed, has the files of one that was never interrupted, and nothing else.
 */
async function expectResumed(folder: string): Promise<void> {
  const resumed = await jbdlab([...SWEEP, "--resume", "--out", folder]);
  expect(resumed.code, resumed.stderr).toBe(0);
  const straight = scratchFolder();
  await jbdlab([...SWEEP, "--out", straight]);
  expect(filesOf(folder)).toEqual(filesOf(straight));
}
