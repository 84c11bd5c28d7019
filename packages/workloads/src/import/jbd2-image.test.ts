import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { memorySource } from "./bytes.js";
import {
  type JournalImage,
  type JournalTransaction,
  parseJournalImage,
  readJournalImage,
} from "./jbd2-image.js";

const FOLDER = fileURLToPath(new URL("./fixtures/journals/", import.meta.url));
const NAMES = readdirSync(FOLDER)
  .filter((name) => name.endsWith(".journal.gz"))
  .map((name) => name.replace(".journal.gz", ""));

const unpacked = (name: string): Buffer => gunzipSync(readFileSync(FOLDER + name));
const parse = (bytes: Uint8Array): JournalImage => parseJournalImage(memorySource("j", bytes));

interface Logged {
  tid: number;
  blocks: string[];
  revokes: number[];
}

/** Committed transactions of a logdump; blocks as "block@log/flags". */
function logdump(name: string): Logged[] {
  const committed: Logged[] = [];
  let open: Logged = { tid: -1, blocks: [], revokes: [] };
  for (const line of unpacked(`${name}.logdump.txt.gz`).toString("latin1").split("\n")) {
    const control = /^Found expected sequence (\d+), type (\d+)/.exec(line);
    const block = /FS block (\d+) logged at journal block (\d+) \(flags 0x(\w+)\)/.exec(line);
    const revoke = /Revoke FS block (\d+)/.exec(line);
    if (control !== null) {
      open.tid = Number(control[1]);
      if (control[2] === "2") {
        committed.push(open);
        open = { tid: -1, blocks: [], revokes: [] };
      }
    } else if (block !== null) {
      open.blocks.push(`${block[1]}@${block[2]}/${Number.parseInt(block[3]!, 16)}`);
    } else if (revoke !== null) {
      open.revokes.push(Number(revoke[1]));
    }
  }
  return committed;
}

function asLogged({ tid, blocks, logPositions, flags, revokes }: JournalTransaction): Logged {
  const list = [...blocks].map((block, i) => `${block}@${logPositions[i]}/${flags[i]}`);
  return { tid, blocks: list, revokes: [...revokes] };
}

/**
 * The newest debugfs wraps a log before a fast-commit area at the wrong block (see the fixtures'
 * README).
 */
const DEBUGFS_STOPS_EARLY = "1k-fast-commit-wrapped";

describe("a journal image", () => {
  test.each(NAMES)("%s: the live transactions are those of debugfs's logdump", (name) => {
    const image = readJournalImage(`${FOLDER}${name}.journal.gz`);
    const expected = logdump(name);
    const live = image.live.map(asLogged);
    if (name === DEBUGFS_STOPS_EARLY) {
      expect(expected).toHaveLength(3);
      expect(live.slice(0, 3)).toEqual(expected);
      expect(live.at(-1)?.tid).toBe(283);
      expect(live).toHaveLength(48);
    } else {
      expect(live).toEqual(expected);
    }
    if (!name.includes("clean")) {
      const n = live.length;
      expect(image.consumed.text).toBe(`consumed ${n} of ${n} transactions`);
    }
  });

  test("the reference journal holds 2 live transactions of 1264 blocks", () => {
    const image = readJournalImage(`${FOLDER}fsmark-4k.journal.gz`);
    expect(image.consumed).toMatchObject({ used: 2, found: 2 });
    expect(image.live.reduce((sum, { blocks }) => sum + blocks.length, 0)).toBe(1264);
    expect(image.superblock).toMatchObject({
      blockSize: 4096,
      blocks: 2048,
      start: 1909,
      sequence: 5,
    });
    // Commits of one run, about 0.4 s apart.
    const [a, b] = image.live as [JournalTransaction, JournalTransaction];
    expect(b.commitSeconds - a.commitSeconds).toBeGreaterThan(0.1);
    expect(b.commitSeconds - a.commitSeconds).toBeLessThan(1);
  });

  test("features are told apart", () => {
    const features = (name: string): JournalImage["superblock"]["features"] =>
      readJournalImage(`${FOLDER}${name}.journal.gz`).superblock.features;
    expect(features("4k-64bit-csum3")).toMatchObject({ "64bit": true, checksum: "v3" });
    expect(features("4k-32bit-csum3")).toMatchObject({ "64bit": false, checksum: "v3" });
    expect(features("4k-csum2-32bit")).toMatchObject({ "64bit": false, checksum: "v2" });
    expect(features("4k-async-csum1")).toMatchObject({ asyncCommit: true, checksum: "v1" });
    expect(features("4k-64bit-nocsum")).toMatchObject({ "64bit": true, checksum: "none" });
    expect(features("1k-csum3-revoke")).toMatchObject({ revoke: true });
    expect(features("4k-fast-commit-live")).toMatchObject({ fastCommit: true });
  });

  test("tids count on through 2^32", () => {
    const { live } = readJournalImage(`${FOLDER}4k-sequence-wrap-csum3.journal.gz`);
    expect(live.map(({ tid }) => tid)).toEqual([4294967294, 4294967295, 0, 1, 2]);
  });

  test("an external journal is read through its file-system header", () => {
    const image = readJournalImage(`${FOLDER}1k-external-wrapped.journal.gz`);
    expect(image.kind).toBe("device");
    expect(image.superblock.first).toBe(3);
  });

  test("data blocks that begin with the magic are escaped and read as data", () => {
    for (const name of ["4k-escaped-csum3", "1k-escaped-nocsum", "4k-csum2-64bit"]) {
      const { live } = readJournalImage(`${FOLDER}${name}.journal.gz`);
      const escaped = live.flatMap(({ flags }) => [...flags]).filter((flag) => flag & 1);
      expect(escaped.length, name).toBeGreaterThan(0);
    }
  });

  test("fast commits on top of the last transaction are counted and their checksums fit", () => {
    const { fastCommit } = readJournalImage(`${FOLDER}4k-fast-commit-live.journal.gz`);
    expect(fastCommit).toMatchObject({
      firstBlock: 1025,
      commits: 4,
      tags: { head: 1, inode: 7, add_range: 3, creat: 3, unlink: 1 },
    });
    const stale = readJournalImage(`${FOLDER}4k-fast-commit.journal.gz`).fastCommit;
    expect(stale).toMatchObject({
      commits: 0,
      end: expect.stringContaining("transaction 4, not 5"),
    });
  });
});

describe("a clean journal", () => {
  test("gives back its old transactions by sequence", () => {
    const clean = readJournalImage(`${FOLDER}4k-clean.journal.gz`);
    expect(clean.live).toEqual([]);
    expect(clean.transactions.map(({ tid }) => tid)).toEqual([2, 3, 4, 5, 6]);
    expect(clean.consumed.text).toBe("consumed 5 of 5 old transactions (the journal is clean)");
  });

  test("says that the oldest transaction was overwritten in part", () => {
    const clean = readJournalImage(`${FOLDER}1k-clean-wrapped.journal.gz`);
    const tids = clean.transactions.map(({ tid }) => tid);
    expect(tids).toEqual(Array.from({ length: 204 }, (_, i) => 208 + i));
    expect(clean.consumed.text).toBe(
      "consumed 204 of 205 old transactions (the journal is clean); " +
        "transaction 207: its beginning was overwritten",
    );
  });

  test("keeps the transactions of several mounts in order", () => {
    const { transactions, superblock } = readJournalImage(`${FOLDER}1k-clean-remounted.journal.gz`);
    const tids = transactions.map(({ tid }) => tid);
    expect(tids).toEqual([...tids].sort((a, b) => a - b));
    expect(tids.at(-1)).toBeLessThan(superblock.sequence);
    // Each clean unmount and the mount after it skip two ids.
    expect(tids.at(-1)! - tids[0]! + 1 - tids.length).toBe(4);
  });

  test("once its start is 0, a journal's live transactions are found again as old ones", () => {
    for (const name of ["1k-nocsum-wrapped", "1k-csum1-32bit-revoke", "1k-external-wrapped"]) {
      const bytes = unpacked(`${name}.journal.gz`);
      const dirty = parse(bytes);
      const at = dirty.kind === "device" ? 2048 : 0;
      const clean = Buffer.from(bytes);
      clean.writeUInt32BE(0, at + 0x1c);
      clean.writeUInt32BE(dirty.live.at(-1)!.tid + 1, at + 0x18);
      if (dirty.superblock.features.checksum === "v3") {
        continue;
      }
      const old = parse(clean).old.whole;
      expect(old.slice(-dirty.live.length).map(asLogged)).toEqual(dirty.live.map(asLogged));
    }
  });
});

describe("a log that was cut off", () => {
  const bytes = unpacked("4k-64bit-csum3.journal.gz");
  const whole = parse(bytes);

  test("a transaction without its commit record is reported and not used", () => {
    const cut = Buffer.from(bytes);
    const last = whole.live.at(-1)!;
    cut.fill(0, last.commitBlock * 4096, (last.commitBlock + 1) * 4096);
    const image = parse(cut);
    expect(image.live).toHaveLength(4);
    expect(image.incomplete).toMatchObject({ tid: last.tid, blocks: last.blocks.length });
    expect(image.consumed.text).toBe(
      `consumed 4 of 5 transactions; transaction ${last.tid} has no commit record: no magic number`,
    );
  });

  test("data that never reached the disk before the power cut is no damage", () => {
    const cut = Buffer.from(bytes);
    const last = whole.live.at(-1)!;
    const from = last.logPositions[0]! * 4096;
    cut.fill(0, from, (last.commitBlock + 1) * 4096);
    expect(parse(cut)).toMatchObject({
      consumed: { used: 4, found: 5 },
      incomplete: { tid: last.tid },
    });
  });

  test("commit records that cannot be reached are counted", () => {
    const plain = unpacked("4k-64bit-nocsum.journal.gz");
    const second = parse(plain).live[1]!;
    plain.fill(0, second.commitBlock * 4096, (second.commitBlock + 1) * 4096);
    expect(parse(plain).consumed).toMatchObject({ used: 1, found: 5 });
  });

  test("a version 1 superblock has no features and the same log", () => {
    const plain = unpacked("4k-32bit-nocsum.journal.gz");
    plain.writeUInt32BE(3, 4);
    plain.fill(0xff, 0x24, 0x400);
    const image = parse(plain);
    expect(image.superblock.version).toBe(1);
    expect(image.live.map(asLogged)).toEqual(logdump("4k-32bit-nocsum"));
  });
});
