import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { Random } from "./random.js";
import { parseWorkload } from "./registry.js";
import { handlesOf, writeAll } from "./testing/sink.js";
import { nextDepth, treeDirectoryFiles, treeFileBytes } from "./tree.js";

const geometry = new Geometry();
const context = { seed: 1, geometry, journalBlocks: 4096 };

describe("untar", () => {
  const handles = handlesOf(writeAll(parseWorkload("untar,files=2000").create(context))[0]!);
  const creates = handles.filter((h) => h.credits === 40);
  const touches = handles.filter((h) => h.credits === 3);
  /** A mkdir creates its block in the handle and ends with the parent's inode. */
  const mkdirs = creates.filter((h) => h.accesses[4]!.block === h.accesses[2]!.block);

  it("sets owner and times of every file after writing it", () => {
    expect(creates.length - mkdirs.length).toBe(2000);
    for (const { inode } of creates.filter((h) => h.data !== undefined).slice(0, 50)) {
      expect(touches.filter((h) => h.inode === inode).length).toBe(2);
    }
    for (const { inode, accesses } of touches) {
      expect(accesses).toEqual([{ kind: 0, block: geometry.inodeBlock(inode) }]);
    }
  });

  it("makes about one directory per 14 files", () => {
    expect(mkdirs.length).toBeGreaterThan(2000 / 14 / 1.4);
    expect(mkdirs.length).toBeLessThan((2000 / 14) * 1.4);
  });

  it("takes inodes of files and directories from one sequence", () => {
    const inodes = creates.map((h) => h.inode);
    expect(inodes).toEqual(inodes.map((_, i) => inodes[0]! + i));
  });
});

describe("a source tree", () => {
  it("has a median file of about 4.6 KB and a mean of about three times that", () => {
    const random = new Random(1);
    const sizes = Array.from({ length: 20_000 }, () => treeFileBytes(random)).sort((a, b) => a - b);
    expect(sizes[10_000]).toBeGreaterThan(4000);
    expect(sizes[10_000]).toBeLessThan(5200);
    const mean = sizes.reduce((a, b) => a + b, 0) / sizes.length;
    expect(mean / 4600).toBeGreaterThan(2.5);
    expect(mean / 4600).toBeLessThan(4);
  });

  it("is never deeper than asked, goes down one level at a time and up by any", () => {
    const random = new Random(2);
    let depth = 0;
    const seen = new Set<number>();
    for (let i = 0; i < 5000; i++) {
      const next = nextDepth(random, depth, 5);
      expect(next).toBeLessThanOrEqual(Math.min(depth + 1, 5));
      expect(next).toBeGreaterThanOrEqual(1);
      seen.add(next);
      depth = next;
    }
    expect(seen.size).toBe(5);
  });

  it("has the mean number of files per directory that was asked for", () => {
    const random = new Random(3);
    const counts = Array.from({ length: 20_000 }, () => treeDirectoryFiles(random, 14));
    expect(Math.min(...counts)).toBe(1);
    expect(Math.max(...counts)).toBe(27);
    expect(counts.reduce((a, b) => a + b, 0) / counts.length).toBeCloseTo(14, 0);
  });
});
