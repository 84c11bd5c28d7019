import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { type FsMarkLog, FsMarkParser, readFsMarkLog } from "./fsmark-log.js";
import { parseText } from "./lines.js";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const parse = (text: string): FsMarkLog => parseText("log", text, new FsMarkParser("log"));

const HEADER = "FSUse%        Count         Size    Files/sec     App Overhead";

describe("fs_mark's output", () => {
  test("the reference run", () => {
    const log = readFsMarkLog(fixture("traces/linux-6.18-fsmark-4m.fsmark.txt"));
    expect(log.samples.map(({ filesPerSecond }) => filesPerSecond)).toEqual([
      22960.6, 21600, 18486.4,
    ]);
    expect(log).toMatchObject({
      version: "3.3",
      command: {
        threads: 1,
        filesPerIteration: 20000,
        sizeBytes: 0,
        directories: 100,
        filesPerDirectory: 200,
        syncMode: 0,
        iterations: 3,
      },
      consumed: "consumed 3 of 3 samples",
    });
  });

  test("an mmtests log's first sample stands out", () => {
    const logs = "mmtests/case1-data/590a809/iter-0/fsmark/logs/fsmark-1.log";
    expect(readFsMarkLog(fixture(logs))).toMatchObject({
      firstIsOutlier: true,
      command: { directories: 10000, syncMode: 0 },
    });
  });

  test("-v adds the times of six system calls; each -d is a thread", () => {
    const calls = ["CREAT", "WRITE", "FSYNC", "SYNC", "CLOSE", "UNLINK"]
      .map((call) => `${call} (Min/Avg/Max)`.padStart(27))
      .join("");
    const numbers = Array.from({ length: 18 }, (_, i) => String(i + 1).padStart(9)).join("");
    const log = parse(
      `#  fs_mark  -v  -d  /a  -d  /b  -s  4096 \n${HEADER}${calls}\n` +
        `     5  100  4096  123.4  999${numbers}\n`,
    );
    expect(log.command?.threads).toBe(2);
    expect(log.samples[0]!.calls).toMatchObject({
      creat: { minUs: 1, meanUs: 2, maxUs: 3 },
      unlink: { minUs: 16, meanUs: 17, maxUs: 18 },
    });
  });

  test("the header may repeat", () => {
    const sample = "     0         1000         4096      36101.1           100000";
    expect(parse(`${HEADER}\n${sample}\n${HEADER}\n${sample}\n`).samples).toHaveLength(2);
  });

  test("anything else is refused with its line", () => {
    expect(() => parse("")).toThrow(/^log: expected at least one fs_mark sample, found none/);
    expect(() => parse("1 2 3 4 5\n")).toThrow(/^log:1: expected the header/);
    expect(() => parse(`${HEADER}\n1 2 3 4\n`)).toThrow(/^log:2: expected a sample of 5 numbers/);
    expect(() => parse(`${HEADER}\n1 2 3 4 x\n`)).toThrow(/found "1 2 3 4 x"$/);
  });
});
