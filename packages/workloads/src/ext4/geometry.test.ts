import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Geometry, type GeometryOptions } from "./geometry.js";

/** What dumpe2fs prints of a real file system. */
function dump(name: string): string {
  const file = new URL(`../import/fixtures/dumpe2fs/${name}.txt.gz`, import.meta.url);
  return gunzipSync(readFileSync(file)).toString("latin1");
}

const REAL: [string, GeometryOptions][] = [
  ["4096-3G", { size: 3 * 2 ** 30 }],
  ["4096-no-64bit-20G", { size: 20 * 2 ** 30, descriptorSize: 32 }],
  ["4096-no-resize_inode-5G", { size: 5 * 2 ** 30, reservedDescriptorBlocks: 0 }],
  ["4096-no-flex_bg-600M", { size: 600 * 2 ** 20, flexBgSize: 1 }],
  ["1024-64M", { size: 64 * 2 ** 20, blockSize: 1024, inodeRatio: 4096 }],
];

describe.each(REAL)("the layout of %s", (name, options) => {
  const text = dump(name);
  const geometry = new Geometry(options);
  const number = (field: string) => Number(new RegExp(`${field}: *(\\d+)`).exec(text)?.[1] ?? 0);

  it("has mke2fs's figures", () => {
    expect(geometry.blocks).toBe(number("Block count"));
    expect(geometry.inodesPerGroup).toBe(number("Inodes per group"));
    expect(geometry.blocksPerGroup).toBe(number("Blocks per group"));
    expect(geometry.reservedDescriptorBlocks).toBe(number("Reserved GDT blocks"));
    expect(geometry.tableBlocksPerGroup).toBe(number("Inode blocks per group"));
  });

  it("puts bitmaps, inode tables and backups of every group where mke2fs did", () => {
    const groups = text.split(/^Group (?=\d+:)/m).slice(1);
    expect(groups.length).toBeGreaterThanOrEqual(geometry.groups);
    for (let group = 0; group < geometry.groups; group++) {
      const lines = groups[group]!;
      const at = (what: string) => Number(new RegExp(`${what} at (\\d+)`).exec(lines)?.[1]);
      expect(geometry.groupStart(group)).toBe(Number(/Blocks (\d+)/.exec(lines)![1]));
      expect(geometry.blockBitmap(group)).toBe(at("Block bitmap"));
      expect(geometry.inodeBitmap(group)).toBe(at("Inode bitmap"));
      expect(geometry.inodeTable(group)).toBe(at("Inode table"));
      expect(geometry.hasSuper(group)).toBe(/superblock at/.test(lines));
    }
  });

  it("leaves the blocks that mke2fs says are free", () => {
    const groups = text.split(/^Group (?=\d+:)/m).slice(1);
    for (let group = 0; group < geometry.groups; group++) {
      const free = /Free blocks: (\d+)-/.exec(groups[group]!);
      if (free !== null && !/Free blocks: \d+-\d+,/.test(groups[group]!)) {
        // Root and lost+found, or the log, may lie before it.
        expect(geometry.firstFreeBlock(group)).toBeLessThanOrEqual(Number(free[1]));
      }
    }
  });
});

describe("the default geometry", () => {
  const geometry = new Geometry();

  it("is that of the reference recording", () => {
    expect(geometry.superblock).toBe(0);
    expect(geometry.descriptorBlock(128)).toBe(3);
    expect(geometry.blockBitmap(128)).toBe(4194304);
    expect(geometry.inodeBitmap(132)).toBe(4194324);
    expect(geometry.inodeBlock(128 * 8192 + 1)).toBe(4194336);
    expect(geometry.inodeBlock(128 * 8192 + 17)).toBe(4194337);
    expect(geometry.firstFreeBlock(128)).toBe(4202528);
    expect(geometry.firstGroup).toBe(128);
  });

  it("keeps the log's groups free", () => {
    const logged = new Geometry({ journalBlocks: 100_000 });
    const groups = Array.from({ length: logged.groups }, (_, i) => i);
    expect(groups.filter((group) => logged.isJournalGroup(group))).toEqual([
      1025, 1026, 1027, 1028,
    ]);
    expect(groups.some((group) => geometry.isJournalGroup(group))).toBe(false);
  });
});

const anyOptions = fc.record({
  blockSize: fc.constantFrom(1024, 2048, 4096, 8192),
  inodeSize: fc.constantFrom(128, 256, 512),
  inodeRatio: fc.constantFrom(8192, 16384, 65536),
  flexBgSize: fc.constantFrom(1, 2, 8, 16),
  descriptorSize: fc.constantFrom(32 as const, 64 as const),
  size: fc.integer({ min: 2 ** 29, max: 2 ** 33 }),
});

describe("any geometry", () => {
  it("gives no block two uses, and keeps all of a group's blocks in its flex group", () => {
    fc.assert(
      fc.property(anyOptions, (options) => {
        let geometry: Geometry;
        try {
          geometry = new Geometry(options);
        } catch (error) {
          expect(String(error)).toMatch(/geometry: flex group size: expected bitmaps/);
          return;
        }
        const runs: [start: number, length: number][] = [];
        for (let group = 0; group < Math.min(geometry.groups, 40); group++) {
          runs.push([geometry.blockBitmap(group), 1], [geometry.inodeBitmap(group), 1]);
          runs.push([geometry.inodeTable(group), geometry.tableBlocksPerGroup]);
          runs.push([geometry.firstFreeBlock(group), 1]);
          expect(geometry.groupOfBlock(geometry.inodeTable(group))).toBe(geometry.flexStart(group));
          expect(geometry.groupOfBlock(geometry.firstFreeBlock(group))).toBe(group);
        }
        runs.sort((x, y) => x[0] - y[0]);
        for (const [i, [start, length]] of runs.slice(0, -1).entries()) {
          expect(start + length).toBeLessThanOrEqual(runs[i + 1]![0]);
        }
      }),
      { numRuns: 60, seed: 1 },
    );
  });

  it("finds the table block and group of every inode", () => {
    const geometry = new Geometry({ size: 2 ** 32, inodeSize: 512 });
    for (const inode of [1, 8, 9, 8192, 8193, geometry.inodes]) {
      const group = geometry.groupOfInode(inode);
      const index = inode - 1 - group * geometry.inodesPerGroup;
      expect(geometry.inodeBlock(inode)).toBe(geometry.inodeTable(group) + Math.floor(index / 8));
    }
  });
});

describe("an impossible geometry is refused in one line", () => {
  it.each<[GeometryOptions, string]>([
    [
      { blockSize: 3000 },
      "geometry: block size: expected a power of two from 1024 to 65536, found 3000",
    ],
    [
      { inodeSize: 8192 },
      "geometry: inode size: expected a power of two from 128 to 4096, found 8192",
    ],
    [{ flexBgSize: 12 }, "geometry: flex group size: expected a power of two, found 12"],
    [{ size: 1000 }, "geometry: size: expected at least one group of 32768 blocks, found 1000"],
    [
      { size: 2 ** 43 },
      "geometry: size: expected at most 2199023255552 bytes (2^29 blocks of 4096)",
    ],
    [{ inodeRatio: 1024 }, "geometry: inode ratio: expected at least one block (4096 bytes)"],
    [{ flexBgSize: 64 }, "geometry: flex group size: expected bitmaps and inode tables that fit"],
    [{ firstGroup: 5000 }, "geometry: first group: expected 0 to 2047, found 5000"],
    [{ blocksPerGroup: 40000 }, "geometry: blocks per group: expected a multiple of 8"],
  ])("%j", (options, message) => {
    expect(() => new Geometry(options)).toThrow(message);
  });
});
