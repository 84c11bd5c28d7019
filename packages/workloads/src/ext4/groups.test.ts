import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Geometry } from "./geometry.js";
import { Groups } from "./groups.js";

const geometry = new Geometry();
const small = new Geometry({ size: 2 ** 28, blockSize: 1024, flexBgSize: 4, inodeRatio: 65536 });

describe("inodes", () => {
  it("follow each other from the first free one of the flex group", () => {
    const groups = new Groups(geometry);
    const first = 128 * 8192 + 1;
    for (let i = 0; i < 100; i++) {
      expect(groups.allocateInode(128)).toBe(first + i);
      expect(groups.inodeBlock).toBe(4194336 + Math.floor(i / 16));
      expect(groups.newTableBlock).toBe(i % 16 === 0);
      expect(groups.inodeBitmap).toBe(4194320);
      expect(groups.descriptor).toBe(3);
      expect(groups.initialisedBitmap).toBe(-1);
    }
  });

  it("initialise the block bitmap of a group not used before, as recorded at every 8192nd", () => {
    const groups = new Groups(geometry);
    for (let i = 0; i < 8192; i++) groups.allocateInode(128);
    expect(groups.wordsScanned).toBe(128);
    expect(groups.allocateInode(128)).toBe(129 * 8192 + 1);
    expect(groups.initialisedBitmap).toBe(4194305);
    expect(groups.groupsScanned).toBe(1);
    groups.allocateInode(128);
    expect(groups.initialisedBitmap).toBe(-1);
  });

  it("below 12 are reserved", () => {
    expect(new Groups(geometry).allocateInode(0)).toBe(12);
  });

  it("that were given back are taken again, lowest first", () => {
    const groups = new Groups(geometry);
    const inodes = Array.from({ length: 100 }, () => groups.allocateInode(128));
    for (const i of [70, 3, 40]) groups.freeInode(inodes[i]!);
    expect([1, 2, 3, 4].map(() => groups.allocateInode(128))).toEqual([
      inodes[3],
      inodes[40],
      inodes[70],
      inodes[99]! + 1,
    ]);
  });

  it("are never given twice, go on to the next flex group, and end with a clear error", () => {
    const groups = new Groups(small);
    const taken = new Set<number>();
    const start = small.groups - 1;
    for (let i = 11; i < small.inodes; i++) taken.add(groups.allocateInode(start));
    expect(taken.size).toBe(small.inodes - 11);
    expect(() => groups.allocateInode(0)).toThrow(
      /the file system has no inode left \(\d+ in all\)/,
    );
  });

  it("stay consistent under any sequence of taking and giving back", () => {
    const step = fc.record({ free: fc.boolean(), pick: fc.nat(), group: fc.nat(small.groups - 1) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 400 }), (steps) => {
        const groups = new Groups(small);
        const held: number[] = [];
        for (const { free, pick, group } of steps) {
          if (free && held.length > 0) {
            groups.freeInode(held.splice(pick % held.length, 1)[0]!);
          } else {
            const inode = groups.allocateInode(group);
            expect(held.includes(inode)).toBe(false);
            expect(groups.inodeBlockOf(inode)).toBe(small.inodeBlock(inode));
            expect(groups.inodeGroup).toBe(small.groupOfInode(inode));
            held.push(inode);
          }
        }
      }),
      { numRuns: 50, seed: 4 },
    );
  });
});

describe("directories", () => {
  it("stay in their parent's flex group until it is a quarter behind the average", () => {
    const groups = new Groups(geometry);
    expect(groups.groupForDirectory(130)).toBe(128);
    for (let i = 0; i < 32_000; i++) groups.allocateInode(128);
    expect(groups.groupForDirectory(130)).toBe(128);
    for (let i = 0; i < 1_200; i++) groups.allocateInode(128);
    expect(groups.groupForDirectory(130)).toBe(144);
  });
});

describe("blocks", () => {
  it("of directories lie in the first group of the flex group, of files from the second on", () => {
    const groups = new Groups(geometry);
    expect(groups.allocateDirectoryBlock(133)).toBe(4202528);
    expect(groups.allocateDirectoryBlock(128)).toBe(4202529);
    const data = groups.allocateData(133, 512);
    expect(geometry.groupOfBlock(data)).toBe(129);
    expect(groups.blockGroup).toBe(129);
    expect(groups.allocateData(133, 512)).toBe(data + 512);
  });

  it("keep clear of metadata and of the log", () => {
    const logged = new Geometry({ size: 2 ** 32, journalBlocks: 40_000 });
    const groups = new Groups(logged);
    const seen = new Set<number>();
    for (;;) {
      let block: number;
      try {
        block = groups.allocateData(0, 512);
      } catch (error) {
        expect(String(error)).toMatch(/the file system is full \(\d+ blocks\)/);
        break;
      }
      const group = logged.groupOfBlock(block);
      seen.add(group);
      expect(block).toBeGreaterThanOrEqual(logged.firstFreeBlock(group));
      expect(logged.groupOfBlock(block + 511)).toBe(group);
    }
    const unused = Array.from({ length: logged.groups }, (_, i) => i).filter((g) => !seen.has(g));
    expect(unused).toEqual([17, 18]);
  });
});
