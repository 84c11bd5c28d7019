import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { parseNs } from "../units.js";
import { resolveWorld } from "../world.js";
import { calibrate } from "./calibrate.js";
import { readProfile } from "./profile.js";

const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fixture = (name: string) =>
  fileURLToPath(new URL(`../../../../workloads/src/import/fixtures/${name}`, import.meta.url));

describe("calibrate", () => {
  // The device of these traces is known: 40 us a block, flush 8 or 80 ms, FUA and latency 0.32 ms.
  it.each([
    ["traces/f8_v4_j16.trace.txt.gz", 8e6],
    ["traces/f80_v4_j16.trace.txt.gz", 80e6],
  ])("%s: the true flush lies in its interval, bounds bound", async (name, flushNs) => {
    const { facts } = await calibrate([fixture(name)]);
    const fact = (parameter: string) => facts.find((each) => each.parameter === parameter);
    const ns = (text: string | undefined) => parseNs(text ?? "", "a fact");
    const flush = fact("flush");
    expect(flush?.known).toBe("measured");
    expect(ns(flush?.low)).toBeLessThanOrEqual(flushNs);
    expect(ns(flush?.high)).toBeGreaterThanOrEqual(flushNs);
    expect(Math.abs(ns(flush?.value) / flushNs - 1)).toBeLessThan(0.01);
    for (const [parameter, truth] of [
      ["latency", 320e3],
      ["fua", 320e3],
      ["block", 40e3],
    ] as const) {
      expect(fact(parameter)?.known, parameter).toBe("bounded");
      expect(ns(fact(parameter)?.high), parameter).toBeGreaterThanOrEqual(truth);
      expect(ns(fact(parameter)?.value) / truth, parameter).toBeLessThan(1.15);
    }
    expect(fact("workload")?.known).toBe("unidentifiable");
  });

  it("an fs_mark log names workload and threads, dumpe2fs the journal", async () => {
    const { options } = await calibrate([
      fixture("traces/linux-6.18-fsmark-4m.fsmark.txt"),
      fixture("journals/fsmark-4k.dumpe2fs.txt"),
    ]);
    expect(options.workload).toMatch(/^fsmark,files=20000,iterations=3,size=0,directories=100,/);
    expect(options.journal).toBe("8MiB");
    const world = await resolveWorld(options);
    expect(world.config.journalBlocks).toBe(2048);
  });

  it("what tells nothing of device or workload is refused", async () => {
    const info = fixture("traces/linux-6.18-fsmark-4m.info.txt");
    await expect(calibrate([info])).rejects.toThrow(/expected a trace, journal, dumpe2fs/);
  });

  it("a profile is read back; anything else is refused in one line", async () => {
    const file = join(folder, "p.json");
    const profile = await calibrate([fixture("traces/f8_v4_j16.trace.txt.gz")]);
    writeFileSync(file, JSON.stringify(profile));
    expect(readProfile(file)).toEqual(profile.options);
    const refused = (text: string) => {
      writeFileSync(file, text);
      return () => readProfile(file);
    };
    expect(refused("{")).toThrow(/expected the JSON of a profile/);
    expect(refused("[]")).toThrow(/"format": "jbdlab-profile-1"/);
    const head = '{"format":"jbdlab-profile-1","options":';
    expect(refused(`${head}{"devise":"x"}}`)).toThrow(/nearest: device/);
    expect(refused(`${head}{"threads":"4"}}`)).toThrow(/options.threads: a number, found "4"/);
    expect(refused(`${head}{"threads":0}}`)).toThrow(/1 to 256, found 0/);
    expect(refused(`${head}{"maxTransactionDivisor":5}}`)).toThrow(/3 or 4, found 5/);
    expect(() => readProfile(join(folder, "none"))).toThrow(/no such file/);
  });
});
