import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { parseWorkload } from "./registry.js";
import { handlesOf, writeAll } from "./testing/sink.js";

const geometry = new Geometry();

function make(seed: number, given: Record<string, number>) {
  const pairs = Object.entries(given).map(([name, value]) => `,${name}=${value}`);
  return parseWorkload(`fsmark${pairs.join("")}`).create({ seed, geometry, journalBlocks: 4096 });
}

/** Handles, and the other records in short: what a sync mode makes of three files. */
function outline(given: Record<string, number>): string {
  const words = writeAll(
    make(1, { files: 3, iterations: 1, directories: 0, size: 4096, ...given }),
  );
  const inodes = new Map<number, number>();
  const numbered = (inode: number) => {
    inodes.set(inode, inodes.get(inode) ?? inodes.size + 1);
    return inodes.get(inode)!;
  };
  return words[0]!
    .map((each) => {
      switch (each.record) {
        case "handle":
          return each.credits === 2 ? "superblock" : `create${numbered(each.inode)}`;
        case "fsync":
          return `fsync${numbered(each.inode)}`;
        case "iteration":
          return `files=${each.files}`;
        default:
          return each.record;
      }
    })
    .join(" ");
}

describe("fs_mark's sync modes", () => {
  const creates = "create1 superblock create2 create3";
  it.each([
    [0, `${creates} files=3 end`],
    [1, "create1 superblock fsync1 create2 fsync2 create3 fsync3 files=3 end"],
    [2, `${creates} sync fsync1 files=3 end`],
    [3, `${creates} fsync3 fsync2 fsync1 files=3 end`],
    [4, `${creates} sync fsync3 fsync2 fsync1 files=3 end`],
    [5, `${creates} fsync1 fsync2 fsync3 files=3 end`],
    [6, `${creates} sync fsync1 fsync2 fsync3 files=3 end`],
  ])("-S %i", (sync, expected) => {
    expect(outline({ sync })).toBe(expected);
  });
});

describe("fsmark's data", () => {
  it("is allocated by its writer: block bitmap, descriptor, the file's inode block", () => {
    const [records] = writeAll(make(1, { files: 200, iterations: 1, size: 10_000 }));
    const creates = handlesOf(records!).filter((h) => h.data !== undefined);
    expect(creates.length).toBe(200);
    for (const { inode, data, allocation } of creates) {
      expect(data!.blocks).toBe(3);
      const group = geometry.groupOfBlock(data!.dataBlock);
      // The first group of a flex group is left to directories.
      expect(group).toBe(129);
      const inodeBlock = geometry.inodeBlock(inode);
      expect(allocation.map((access) => access.block)).toEqual([
        geometry.blockBitmap(group),
        geometry.descriptorBlock(group),
        inodeBlock,
        inodeBlock,
        inodeBlock,
      ]);
    }
  });

  it("of two files never shares a block", () => {
    const [records] = writeAll(make(1, { files: 3000, iterations: 2, size: 9000 }));
    const taken = new Set<number>();
    for (const { data } of handlesOf(records!)) {
      for (let i = 0; i < (data?.blocks ?? 0); i++) {
        expect(taken.has(data!.dataBlock + i)).toBe(false);
        taken.add(data!.dataBlock + i);
      }
    }
    expect(taken.size).toBe(18_000);
  });
});

describe("fsmark's threads", () => {
  it("work in flex groups of their own and wait for each other after each iteration", () => {
    const threads = writeAll(make(1, { files: 300, iterations: 2, threads: 4, size: 0 }));
    const groups = threads.map((records) => {
      const inodes = handlesOf(records).map((h) => Math.max(1, h.inode));
      const flexes = inodes
        .filter((inode) => inode > 1)
        .map((inode) => geometry.groupOfInode(inode) >> 4);
      expect(new Set(flexes).size).toBe(1);
      return flexes[0];
    });
    expect(new Set(groups).size).toBe(4);
    for (const records of threads) {
      const iterations = records.filter((record) => record.record === "iteration");
      expect(iterations).toEqual([
        { record: "iteration", files: 300 },
        { record: "iteration", files: 300 },
      ]);
    }
  });
});

describe("fsmark's seed", () => {
  it("gives the same records again, whatever the size of the fills", () => {
    const given = { files: 2000, iterations: 2, thinkJitter: 100 };
    expect(writeAll(make(7, given), 1000)).toEqual(writeAll(make(7, given), 1));
  });

  it("changes hashes and thinking times, not the number of handles", () => {
    const given = { files: 2000, iterations: 1 };
    const [one, two] = [7, 8].map((seed) => handlesOf(writeAll(make(seed, given))[0]!));
    expect(one!.length).toBe(two!.length);
    expect(one!.map((h) => h.thinkNs)).not.toEqual(two!.map((h) => h.thinkNs));
    expect(one!.map((h) => h.accesses)).not.toEqual(two!.map((h) => h.accesses));
  });
});

describe("fsmark's limits", () => {
  it("refuses more files than the file system has inodes", () => {
    expect(() => make(1, { files: 10_000_000, iterations: 2 })).toThrow(
      "workload fsmark: a file system of 16777216 inodes holds 1 iterations, found 2",
    );
  });
});
