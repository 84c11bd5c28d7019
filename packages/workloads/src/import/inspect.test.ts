import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { blockUse } from "./block-use.js";
import { detectFormat } from "./detect.js";
import { readDumpe2fs } from "./dumpe2fs.js";
import { ImportError } from "./import-error.js";
import { inspect } from "./inspect.js";

const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
afterAll(() => rmSync(folder, { recursive: true }));
const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const written = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

const SAMPLES = [
  ["journals/fsmark-4k.journal.gz", "jbd2-journal", "consumed 2 of 2 transactions"],
  ["journals/4k-external.journal.gz", "jbd2-journal", "consumed 5 of 5 transactions"],
  ["handles/create-0b-16m.head.txt.gz", "handles", /^consumed 508 of 509 handles; 1 open/],
  ["traces/linux-6.18-fsmark-4m.trace.txt", "ftrace", "consumed 233 of 233 events"],
  ["traces/linux-6.18-fsmark-4m.info.txt", "proc-info", "consumed 1 of 1 prints"],
  ["traces/linux-6.18-fsmark-4m.fsmark.txt", "fsmark-log", "consumed 3 of 3 samples"],
  ["mmtests/case1-data", "mmtests-logs", "consumed 4 of 4 logs"],
  ["mmtests/case1-era3.txt", "mmtests-table", "consumed 12 of 12 rows"],
  ["published/jbd-history-2005.csv", "history-2005", "consumed 21 of 21 rows"],
  ["journals/fsmark-4k.dumpe2fs.txt", "dumpe2fs", "consumed 19 of 19 fields"],
  ["dumpe2fs/4096-3G.txt.gz", "dumpe2fs", "consumed 54 of 54 fields"],
] as const;

describe("inspect", () => {
  test.each(SAMPLES)("%s is recognised as %s and read whole", async (name, format, consumed) => {
    const inspection = await inspect(fixture(name));
    expect(inspection.format).toBe(format);
    expect(inspection.consumed).toMatch(consumed);
    expect(inspection.diagnoses).toHaveLength(inspection.measurements.length);
    expect(inspection.sentence).not.toMatch(/undefined|NaN|\n/);
  });

  test("the name of a file and its packing do not matter", async () => {
    for (const [name, format] of SAMPLES) {
      if (format === "mmtests-logs") {
        continue;
      }
      const bytes = readFileSync(fixture(name));
      const packed = name.endsWith(".gz");
      const other = packed ? gunzipSync(bytes) : gzipSync(bytes);
      expect(detectFormat(written("anything", other)), name).toBe(format);
    }
  });

  test("a journal's hottest blocks are named by the file system's layout", async () => {
    const layout = readDumpe2fs(fixture("journals/fsmark-4k.dumpe2fs.txt"));
    const { blocks } = await inspect(fixture("journals/fsmark-4k.journal.gz"), { layout });
    // Group descriptors, block and inode bitmaps are in all three transactions that the log
    // still holds.
    expect(blocks!.hottest.slice(0, 3)).toEqual([
      { block: 1, transactions: 3, blockClass: "group-descriptors" },
      { block: 385, transactions: 3, blockClass: "block-bitmap" },
      { block: 403, transactions: 3, blockClass: "inode-bitmap" },
    ]);
    expect(blocks!.byClass!["inode-table"].distinct).toBe(957);
    const logged = Object.values(blocks!.byClass!).reduce((sum, { logged }) => sum + logged, 0);
    expect(logged).toBe(blocks!.logged);
  });

  test("the layout of another file system is refused", async () => {
    const layout = readDumpe2fs(fixture("dumpe2fs/1024-64M.txt.gz"));
    await expect(inspect(fixture("handles/create-0b-16m.head.txt.gz"), { layout })).rejects.toThrow(
      /found block 4194320: another file system's$/,
    );
  });

  test("a trace of another subsystem is named as such and nobody is blamed", async () => {
    const line = " a-1 [000] ..... 1.000000: block_rq_issue: 8,0 W 4096 () 12 + 8 [a]\n";
    const inspection = await inspect(written("blk", line.repeat(5)));
    expect(inspection).toMatchObject({
      format: "ftrace",
      sentence: "a trace of something else, nothing of jbd2 in it: 5 block_rq_issue",
      measurements: [],
    });
  });

  test("progress is told in bytes of the file, and reading can be stopped", async () => {
    const file = fixture("traces/fsync_v4_t4_f8.trace.txt.gz");
    const told: number[] = [];
    await inspect(file, { onProgress: (done, total) => told.push(done / total) });
    expect(told.at(-1)).toBe(1);
    const stopped = AbortSignal.abort();
    await expect(inspect(file, { signal: stopped })).rejects.toThrow(/abort/i);
  });

  test("anything else is refused in one line", async () => {
    const refused = async (path: string): Promise<string> => {
      const error = await inspect(path).then(
        () => new Error("accepted"),
        (thrown: Error) => thrown,
      );
      expect(error).toBeInstanceOf(ImportError);
      expect(error.message).not.toContain("\n");
      return error.message;
    };
    expect(await refused(folder)).toMatch(/found a directory$/);
    expect(await refused(join(folder, "absent"))).toMatch(/found no such file$/);
    expect(await refused(written("empty", ""))).toMatch(/found an empty file$/);
    expect(await refused(written("prose", "Dear all,\n"))).toMatch(/found "Dear all,"$/);
    expect(await refused(written("bin", Buffer.alloc(9000, 7).fill(0, 5)))).toMatch(/binary data/);
    expect(await refused(written("bad.gz", Buffer.from("1f8b0800ff", "hex")))).toMatch(/gzip/);
    const ext4 = Buffer.alloc(8192);
    ext4.writeUInt16LE(0xef53, 1024 + 0x38);
    expect(await refused(written("fs", ext4))).toMatch(/found a whole ext4 file system$/);
  });
});

describe("the layout that dumpe2fs prints", () => {
  const names = ["1024-64M", "4096-3G", "4096-no-64bit-20G", "4096-no-flex_bg-600M"];
  test.each([...names, "4096-no-resize_inode-5G"])(
    "%s: every place the print names is of its class",
    (name) => {
      const file = fixture(`dumpe2fs/${name}.txt.gz`);
      const layout = readDumpe2fs(file);
      const text = gunzipSync(readFileSync(file)).toString("latin1");
      let places = 0;
      const check = (pattern: RegExp, expected: string): void => {
        for (const [, from, to] of text.matchAll(pattern)) {
          for (const block of [Number(from), Number(to ?? from)]) {
            expect(layout.classOf(block), `block ${block}`).toBe(expected);
            places++;
          }
        }
      };
      check(/superblock at (\d+)/g, "superblock");
      check(/Group descriptors at (\d+)-(\d+)/g, "group-descriptors");
      check(/Reserved GDT blocks at (\d+)-(\d+)/g, "group-descriptors");
      check(/Block bitmap at (\d+)/g, "block-bitmap");
      check(/Inode bitmap at (\d+)/g, "inode-bitmap");
      check(/Inode table at (\d+)-(\d+)/g, "inode-table");
      check(/Free blocks: (\d+)-(\d+)/g, "directory");
      expect(places).toBeGreaterThan(40);
    },
  );

  test("a print without a needed field is refused", () => {
    const text = readFileSync(fixture("journals/fsmark-4k.dumpe2fs.txt"), "latin1");
    const file = written("short", text.replace(/Inode size:.*\n/, ""));
    expect(() => readDumpe2fs(file)).toThrow(/expected dumpe2fs's field "Inode size", found none$/);
  });
});

test("re-dirty distances count transactions, and a block twice in one counts once", () => {
  expect(blockUse([[1, 2, 1], [3], [1, 3], [2]])).toEqual({
    transactions: 4,
    logged: 6,
    distinct: 3,
    hottest: [
      { block: 1, transactions: 2, blockClass: undefined },
      { block: 2, transactions: 2, blockClass: undefined },
      { block: 3, transactions: 2, blockClass: undefined },
    ],
    redirtied: [
      { distance: 1, count: 1 },
      { distance: 2, count: 1 },
      { distance: 3, count: 1 },
    ],
    byClass: undefined,
  });
});
