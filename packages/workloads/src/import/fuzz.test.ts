import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { Random } from "../random.js";
import { memorySource } from "./bytes.js";
import { crc32cSkipping } from "./crc32c.js";
import { Dumpe2fsParser } from "./dumpe2fs.js";
import { FsMarkParser } from "./fsmark-log.js";
import { FtraceParser } from "./ftrace.js";
import { HandlesParser } from "./handles.js";
import { HistoryParser } from "./history-2005.js";
import { ImportError } from "./import-error.js";
import { type JournalImage, parseJournalImage } from "./jbd2-image.js";
import { type LineParser, parseText } from "./lines.js";
import { MmtestsTableParser } from "./mmtests.js";
import { ProcInfoParser } from "./proc-info.js";

/** Mutations of each format; a million by hand: JBDLAB_FUZZ=1000000. */
const MUTATIONS = Number(process.env["JBDLAB_FUZZ"] ?? 100_000);
/** One mutation must never take this long, however it fares. */
const LONGEST_MS = 10_000;

const fixture = (name: string): Buffer => {
  const bytes = readFileSync(fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url)));
  return name.endsWith(".gz") ? gunzipSync(bytes) : bytes;
};
const lines = (name: string, from: number, to: number): Buffer =>
  Buffer.from(fixture(name).toString("latin1").split("\n").slice(from, to).join("\n"), "latin1");

/**
 * Changes 1 ... 4 places of `bytes`, or cuts it; `undo` puts everything back. Half of the places
 * are within 64 bytes after one of `hot`.
 */
function mutate(
  bytes: Buffer,
  random: Random,
  undo: [number, number][],
  hot: readonly number[],
): Buffer {
  const changes = 1 + random.below(4);
  for (let i = 0; i < changes; i++) {
    const near = hot.length > 0 && random.below(2) === 0;
    const at = near
      ? hot[random.below(hot.length)]! + random.below(64)
      : random.below(bytes.length);
    undo.push([at, bytes[at]!]);
    const kind = random.below(4);
    if (kind === 0) {
      bytes[at]! ^= 1 << random.below(8);
    } else if (kind === 1) {
      bytes[at] = random.below(256);
    } else if (kind === 2) {
      bytes[at] = [0, 10, 32, 45, 48, 57, 255, 127][random.below(8)]!;
    } else {
      bytes[at] = bytes[random.below(bytes.length)]!;
    }
  }
  return random.below(16) === 0 ? bytes.subarray(0, random.below(bytes.length)) : bytes;
}

interface Fate {
  accepted: number;
  refused: number;
  slowestMs: number;
}

/**
 * Feeds mutations of `sample` to `read`; anything thrown but an ImportError fails with the seed
 * that repeats it.
 */
function survive(
  name: string,
  sample: Buffer,
  count: number,
  read: (bytes: Buffer) => unknown,
  hot: readonly number[] = [],
): Fate {
  const fate: Fate = { accepted: 0, refused: 0, slowestMs: 0 };
  for (let seed = 0; seed < count; seed++) {
    const undo: [number, number][] = [];
    const mutated = mutate(sample, new Random(seed, 7), undo, hot);
    const start = performance.now();
    try {
      read(mutated);
      fate.accepted++;
    } catch (error) {
      if (!(error instanceof ImportError) || error.message.includes("\n")) {
        throw new Error(`${name}, seed ${seed}: ${(error as Error).stack}`, { cause: error });
      }
      fate.refused++;
    }
    fate.slowestMs = Math.max(fate.slowestMs, performance.now() - start);
    for (const [at, byte] of undo.reverse()) {
      sample[at] = byte;
    }
  }
  return fate;
}

const text =
  (make: (file: string) => LineParser<unknown>) =>
  (bytes: Buffer): unknown =>
    parseText("f", bytes, make("f"));

const SAMPLES: [string, Buffer, (bytes: Buffer) => unknown][] = [
  [
    "ftrace",
    lines("traces/linux-6.18-handles.trace.txt.gz", 10, 34),
    text((file) => new FtraceParser(file)),
  ],
  [
    "handles",
    lines("handles/create-0b-16m.head.txt.gz", 11, 40),
    text((file) => new HandlesParser(file)),
  ],
  [
    "/proc info",
    fixture("traces/linux-6.18-fsmark-4m.info.txt"),
    text((file) => new ProcInfoParser(file)),
  ],
  [
    "fs_mark",
    fixture("traces/linux-6.18-fsmark-4m.fsmark.txt"),
    text((file) => new FsMarkParser(file)),
  ],
  ["mmtests", fixture("mmtests/case1-era3.txt"), text((file) => new MmtestsTableParser(file))],
  ["history", fixture("published/jbd-history-2005.csv"), text((file) => new HistoryParser(file))],
  [
    "dumpe2fs",
    fixture("journals/fsmark-4k.dumpe2fs.txt"),
    text((file) => new Dumpe2fsParser(file)),
  ],
];

/** The first blocks of a journal, as a journal of that size. */
function shortened(name: string, blocks: number): Buffer {
  const bytes = Buffer.from(fixture(`journals/${name}.journal.gz`));
  bytes.writeUInt32BE(blocks, 0x10);
  if (bytes.readUInt32BE(0x28) & 0x18) {
    const checksum = crc32cSkipping(0xffffffff, bytes.subarray(0, 1024), 0xfc, 4);
    bytes.writeUInt32BE(checksum, 0xfc);
  }
  return bytes.subarray(0, blocks * bytes.readUInt32BE(0x0c));
}

const JOURNALS: [string, number][] = [
  ["1k-csum3-revoke", 90],
  ["1k-csum2-64bit", 60],
  ["1k-csum1-32bit-revoke", 90],
  ["1k-escaped-nocsum", 90],
  ["4k-clean", 48],
];

describe("random mutations never crash or hang a reader", () => {
  test.each(SAMPLES)(
    "%s",
    (name, sample, read) => {
      const fate = survive(name, Buffer.from(sample), MUTATIONS, read);
      expect(fate.accepted + fate.refused).toBe(MUTATIONS);
      expect(fate.refused).toBeGreaterThan(0);
      expect(fate.slowestMs).toBeLessThan(LONGEST_MS);
    },
    600_000,
  );

  test.each(JOURNALS)(
    "journal %s, its control blocks above all",
    (name, blocks) => {
      const sample = shortened(name, blocks);
      const read = (bytes: Buffer): JournalImage => parseJournalImage(memorySource("j", bytes));
      const { superblock, transactions } = read(sample);
      expect(transactions.length).toBeGreaterThan(2);
      const starts = transactions.flatMap(({ logStart, commitBlock }) => [logStart, commitBlock]);
      const hot = [0, ...starts].map((block) => block * superblock.blockSize);
      const count = Math.ceil(MUTATIONS / JOURNALS.length);
      const fate = survive(name, sample, count, read, hot);
      expect(fate.refused).toBeGreaterThan(0);
      expect(fate.slowestMs).toBeLessThan(LONGEST_MS);
    },
    600_000,
  );

  test("bytes without any order", () => {
    for (let seed = 0; seed < Math.min(MUTATIONS, 20_000); seed++) {
      const random = new Random(seed, 9);
      const bytes = Buffer.from(Array.from({ length: random.below(300) }, () => random.below(256)));
      const readers = SAMPLES.map(([, , read]) => read);
      readers.push((b) => parseJournalImage(memorySource("j", b)));
      for (const read of readers) {
        expect(() => read(bytes), `seed ${seed}`).toThrow(ImportError);
      }
    }
  }, 600_000);
});
