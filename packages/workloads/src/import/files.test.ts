import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { Geometry } from "../ext4/geometry.js";
import { Random } from "../random.js";
import { readDumpe2fs } from "./dumpe2fs.js";
import { readFsMarkLog } from "./fsmark-log.js";
import { readFtrace } from "./ftrace.js";
import { handlesWorkload } from "./handles-workload.js";
import { readHistory } from "./history-2005.js";
import { ImportError } from "./import-error.js";
import { inspect } from "./inspect.js";
import { readJournalImage } from "./jbd2-image.js";
import { journalWorkload } from "./journal-workload.js";
import { readMmtestsTable } from "./mmtests.js";
import { readProcInfo } from "./proc-info.js";

const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const context = { seed: 1, geometry: new Geometry(), journalBlocks: 4096 };

/** Every way into a file, with a file it accepts. */
const READERS: [string, string, (file: string) => unknown][] = [
  ["readJournalImage", "journals/1k-csum2-64bit.journal.gz", readJournalImage],
  ["readFtrace", "traces/linux-6.18-noirq.trace.txt.gz", (file) => readFtrace(file)],
  ["readProcInfo", "traces/linux-6.18-fsmark-4m.info.txt", readProcInfo],
  ["readFsMarkLog", "traces/linux-6.18-fsmark-4m.fsmark.txt", readFsMarkLog],
  ["readMmtestsTable", "mmtests/case1-era1.txt", readMmtestsTable],
  ["readHistory", "published/jbd-history-2005.csv", readHistory],
  ["readDumpe2fs", "journals/fsmark-4k.dumpe2fs.txt", readDumpe2fs],
  ["inspect", "traces/f8_v4_j16.trace.txt.gz", (file) => inspect(file)],
  ["journalWorkload", "journals/4k-clean.journal.gz", (file) => journalWorkload(file, context)],
  [
    "handlesWorkload",
    "handles/create-0b-16m.head.txt.gz",
    (file) => handlesWorkload(file, context),
  ],
];

function unpacked(packed: Uint8Array): Buffer | undefined {
  try {
    return gunzipSync(packed);
  } catch {
    return undefined;
  }
}

/** What the reader says of the file: the message of its ImportError, or "accepted". */
async function fate(read: (file: string) => unknown, file: string): Promise<string> {
  try {
    await read(file);
    return "accepted";
  } catch (error) {
    expect(error).toBeInstanceOf(ImportError);
    expect((error as Error).message).not.toContain("\n");
    return (error as Error).message;
  }
}

describe.each(READERS)("%s", (_name, sample, read) => {
  const file = join(folder, "file");
  const said = async (content: Uint8Array | string): Promise<string> => {
    writeFileSync(file, content);
    return fate(read, file);
  };

  test("accepts its sample, packed or not", async () => {
    expect(await fate(read, fixture(sample))).toBe("accepted");
    const bytes = readFileSync(fixture(sample));
    if (!sample.endsWith(".gz")) {
      expect(await said(gzipSync(bytes))).toBe("accepted");
    }
  });

  test("refuses a directory, nothing, an empty file and random bytes in one line", async () => {
    expect(await fate(read, folder)).toMatch(/found a directory$/);
    expect(await fate(read, join(folder, "absent"))).toMatch(/found no such file$/);
    expect(await said("")).toMatch(/found an empty file$/);
    expect(await said(gzipSync(""))).not.toBe("accepted");
    const random = new Random(5);
    expect(await said(Buffer.from(Array.from({ length: 5000 }, () => random.below(256))))).not.toBe(
      "accepted",
    );
  });

  test("refuses every gzip file that unpacks to something else", async () => {
    const bytes = readFileSync(fixture(sample));
    const packed = sample.endsWith(".gz") ? bytes : gzipSync(bytes);
    const content = gunzipSync(packed);
    for (let i = 0; i < 40; i++) {
      // From byte 10 on: the header holds a time and a file name that nothing checks.
      const at = 10 + Math.floor(((packed.length - 10) * i) / 40);
      packed[at]! ^= 0x10;
      // A run of equal bytes can be copied from several distances: such a flip changes nothing.
      const harmless = unpacked(packed)?.equals(content) === true;
      expect((await said(packed)) === "accepted", `byte ${at}`).toBe(harmless);
      packed[at]! ^= 0x10;
      expect(await said(packed.subarray(0, at)), `cut at ${at}`).not.toBe("accepted");
    }
  });
});
