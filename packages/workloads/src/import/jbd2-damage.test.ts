import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, test } from "vitest";
import { memorySource } from "./bytes.js";
import { ImportError } from "./import-error.js";
import {
  type JournalImage,
  type JournalTransaction,
  parseJournalImage,
  readJournalImage,
} from "./jbd2-image.js";

const FOLDER = fileURLToPath(new URL("./fixtures/journals/", import.meta.url));
const unpacked = (name: string): Buffer => gunzipSync(readFileSync(`${FOLDER}${name}.journal.gz`));
const parse = (bytes: Uint8Array): JournalImage => parseJournalImage(memorySource("j", bytes));

const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** What reading `bytes` with one bit flipped says. */
function flipped(bytes: Buffer, at: number, bit: number): JournalImage | Error {
  bytes[at]! ^= 1 << bit;
  try {
    return parse(bytes);
  } catch (error) {
    return error as Error;
  } finally {
    bytes[at]! ^= 1 << bit;
  }
}

/** Log blocks of a transaction that are not data. */
function controlBlocks(transaction: JournalTransaction, first: number, end: number): number[] {
  const data = new Set(transaction.logPositions);
  const blocks: number[] = [];
  let at = transaction.logStart;
  for (let i = 0; i < transaction.logBlocks; i++) {
    if (!data.has(at)) {
      blocks.push(at);
    }
    at = at + 1 === end ? first : at + 1;
  }
  return blocks;
}

describe.each(["1k-csum3-revoke", "1k-csum2-64bit", "4k-32bit-csum3"])("%s", (name) => {
  const bytes = unpacked(name);
  const image = parse(bytes);
  const { blockSize, first, logEnd } = image.superblock;

  test("a flipped bit in any control block is refused, with its place", () => {
    for (const transaction of image.live) {
      for (const block of controlBlocks(transaction, first, logEnd)) {
        // Every bit of the header and the first tags, then a stride over the rest.
        for (let at = 0; at < blockSize; at += at < 64 || at >= blockSize - 4 ? 1 : 13) {
          const result = flipped(bytes, block * blockSize + at, at % 8);
          expect(result, `block ${block} byte ${at}`).toBeInstanceOf(ImportError);
          expect((result as ImportError).message).toContain(`(block `);
        }
      }
    }
  });

  test("a flipped bit in the superblock is refused", () => {
    for (let bit = 0; bit < 1024 * 8; bit += 5) {
      const result = flipped(bytes, bit >> 3, bit & 7);
      expect(result, `bit ${bit}`).toBeInstanceOf(ImportError);
    }
  });

  test("a flipped bit in a logged block is refused", () => {
    const [transaction] = image.live as [JournalTransaction];
    for (const position of transaction.logPositions) {
      for (const at of [0, 511, blockSize - 1]) {
        const result = flipped(bytes, position * blockSize + at, 3);
        expect(result).toBeInstanceOf(ImportError);
        expect((result as ImportError).message).toMatch(/expected data of file-system block \d+/);
      }
    }
  });
});

describe("checksums of version 1", () => {
  test("cover descriptors and data of a transaction", () => {
    const bytes = unpacked("1k-csum1-32bit-revoke");
    for (const { logStart, logPositions } of parse(bytes).live.filter((t) => !t.revokeBlocks)) {
      for (const at of [logStart * 1024 + 700, logPositions[0]! * 1024 + 5]) {
        const result = flipped(bytes, at, 0);
        expect((result as ImportError).message).toContain("expected transaction checksum 0x");
      }
    }
  });

  test("of the last transaction may be wrong with asynchronous commits: it does not count", () => {
    const bytes = unpacked("4k-async-csum1");
    const last = parse(bytes).live.at(-1)!;
    const result = flipped(bytes, last.logPositions[0]! * 4096 + 5, 0) as JournalImage;
    expect(result.consumed).toMatchObject({ used: 4, found: 5 });
    const before = parse(bytes).live.at(-2)!;
    expect(flipped(bytes, before.logPositions[0]! * 4096 + 5, 0)).toBeInstanceOf(ImportError);
  });
});

describe("a clean journal", () => {
  test("with a flipped bit in an old descriptor is refused", () => {
    const bytes = unpacked("4k-clean");
    for (const { logStart, commitBlock } of parse(bytes).transactions) {
      for (const block of [logStart, commitBlock]) {
        for (let at = 0; at < 64; at++) {
          const result = flipped(bytes, block * 4096 + at, at % 8);
          expect(result, `block ${block} byte ${at}`).toBeInstanceOf(ImportError);
        }
      }
    }
  });

  test("with a flipped bit in an old data block does not use that transaction", () => {
    const bytes = unpacked("4k-clean");
    const [, second] = parse(bytes).transactions;
    const result = flipped(bytes, second!.logPositions[0]! * 4096 + 9, 1) as JournalImage;
    expect(result.consumed).toMatchObject({ used: 4, found: 5 });
    expect(result.consumed.text).toContain("data block does not fit its checksum");
  });
});

describe("a file that is no journal", () => {
  const message = (file: string): string => {
    try {
      readJournalImage(file);
    } catch (error) {
      expect(error).toBeInstanceOf(ImportError);
      expect((error as Error).message).not.toContain("\n");
      return (error as Error).message;
    }
    throw new Error(`${file} was accepted`);
  };
  const file = (name: string, content: Uint8Array): string => {
    writeFileSync(join(folder, name), content);
    return join(folder, name);
  };
  const journal = unpacked("1k-csum3-revoke");

  test("is refused in one clear line", () => {
    expect(message(file("empty", Buffer.alloc(0)))).toMatch(/found an empty file$/);
    expect(message(file("empty.gz", gzipSync("")))).toMatch(/found none$/);
    expect(message(folder)).toMatch(/found a directory$/);
    expect(message(join(folder, "absent"))).toMatch(/found no such file$/);
    expect(message(file("text", Buffer.from("hello\n")))).toMatch(
      /byte 0: expected the jbd2 magic 0xc03b3998, found 0x68656c6c$/,
    );
    expect(message(file("short", Buffer.from("j")))).toMatch(/found a file of 1 bytes$/);
    expect(message(file("cut", journal.subarray(0, 100_000)))).toMatch(
      /byte 100000: expected 1048576 bytes \(1024 blocks of 1024\), found 100000$/,
    );
    expect(message(file("cut.gz", gzipSync(journal).subarray(0, 5000)))).toMatch(
      /expected an intact gzip file, found unexpected end of file$/,
    );
  });

  test("a whole file system is named, with the command that takes its journal out", () => {
    const ext4 = Buffer.alloc(8192);
    ext4.writeUInt16LE(0xef53, 1024 + 0x38);
    expect(message(file("ext4", ext4))).toMatch(
      /debugfs -R "dump <8> journal" .*found a whole ext4 file system$/,
    );
  });

  test("every shorter file is refused", () => {
    for (let size = 0; size < journal.length; size += size < 2048 ? 97 : 31_337) {
      expect(() => parse(journal.subarray(0, size)), `${size} bytes`).toThrow(ImportError);
    }
  });

  test("trailing bytes after the journal do no harm", () => {
    const longer = Buffer.concat([journal, Buffer.alloc(5000, 7)]);
    expect(parse(longer).consumed).toEqual(parse(journal).consumed);
  });
});
