import { Access } from "@jbdlab/core-wasm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TestSink } from "../testing/sink.js";
import { Directory, Growth } from "./directory.js";
import { Geometry } from "./geometry.js";
import { Groups } from "./groups.js";
import { DirectoryShape, Leaves } from "./leaves.js";
import { Trail } from "./trail.js";

const geometry = new Geometry({ size: 2 ** 34, firstGroup: 0 });

function world(nameLength: number, blockSize = 4096) {
  const groups = new Groups(geometry);
  const leaves = new Leaves(new DirectoryShape(blockSize, nameLength));
  const make = () => new Directory(leaves, groups, geometry, groups.allocateInode(0));
  const trail = new Trail();
  const directory = make();
  directory.place();
  const insert = (into: Directory, hash: number) => {
    trail.clear();
    into.find(hash, 0);
    into.insert(hash, trail);
  };
  return { groups, leaves, make, trail, directory, insert };
}

/** Spreads 0, 1, 2 ... over all hashes. */
const spread = (i: number): number => (Math.imul(i, 0x9e3779b1) >>> 2) << 1;

describe("a directory", () => {
  it("finds every name it was given and no other", () => {
    fc.assert(
      fc.property(
        fc.uniqueArray(
          fc.integer({ min: 0, max: 2 ** 30 - 1 }).map((n) => n * 2),
          { minLength: 1, maxLength: 900 },
        ),
        (hashes) => {
          const { directory, insert } = world(200);
          for (const hash of hashes) insert(directory, hash);
          for (const hash of hashes) expect(directory.remove(hash, 0)).toBe(true);
          for (const hash of hashes) expect(directory.remove(hash, 0)).toBe(false);
        },
      ),
      { numRuns: 40, seed: 3 },
    );
  });

  it("is linear up to 84 names of 40 bytes, then has two leaves", () => {
    const { directory, insert } = world(40);
    for (let i = 0; i < 84; i++) {
      insert(directory, spread(i));
      expect(directory.indexed).toBe(false);
      expect(directory.growth).toBe(Growth.None);
    }
    insert(directory, spread(84));
    expect(directory.growth).toBe(Growth.Index);
    expect(directory.indexed).toBe(true);
    expect(directory.leafCount).toBe(2);
    expect(directory.content.blocks.length).toBe(3);
  });

  it("fills its leaves to about 70 %", () => {
    const { directory, insert } = world(40);
    for (let i = 0; i < 20_000; i++) insert(directory, spread(i));
    const fill = 20_000 / (directory.leafCount * 85);
    expect(fill).toBeGreaterThan(0.5);
    expect(fill).toBeLessThan(1);
  });

  it("gets a level of index nodes when the root is full, and splits them", () => {
    const { directory, insert } = world(255, 1024);
    const { rootCapacity } = new DirectoryShape(1024, 255);
    let count = 0;
    while (directory.leafCount < rootCapacity) insert(directory, spread(count++));
    const before = directory.content.blocks.length;
    // One leaf per block so far, and the root.
    expect(before).toBe(rootCapacity + 1);
    while (directory.leafCount < rootCapacity * 3) insert(directory, spread(count++));
    const nodes = directory.content.blocks.length - directory.leafCount - 1;
    expect(nodes).toBeGreaterThanOrEqual(3);
    for (let i = 0; i < count; i++) expect(directory.remove(spread(i), 0)).toBe(true);
  });

  it("is full when root and nodes are, and says so", () => {
    const { directory, insert } = world(255, 1024);
    expect(() => {
      for (let i = 0; ; i++) insert(directory, spread(i));
    }).toThrow(/a directory of \d+ leaves is full \(dir_index without large_dir\)/);
  });

  it("touches leaf and inode for a name, the leaf twice once there is an index", () => {
    const { directory, insert, trail } = world(40);
    const touched = () => {
      const sink = new TestSink();
      sink.begin(10);
      sink.handle(40, 0, 0, 1, 0);
      directory.emit(sink, trail);
      return sink.records.flatMap((r) => (r.record === "handle" ? r.accesses : []));
    };
    insert(directory, 2);
    expect(touched().map((access) => access.block)).toEqual([
      directory.rootBlock,
      directory.inodeBlock,
    ]);
    for (let i = 1; i < 100; i++) insert(directory, spread(i));
    const leaf = directory.leafBlock;
    expect(leaf).not.toBe(directory.rootBlock);
    expect(touched().map((access) => access.block)).toEqual([leaf, leaf, directory.inodeBlock]);
    expect(touched().every((access) => access.kind === Access.Write)).toBe(true);
  });
});

describe("a growing directory's extents", () => {
  it("stay in the inode up to four, then move to a block that every append touches", () => {
    const { groups, directory, insert, make, trail } = world(40);
    // Another directory takes a block in between, so that no append follows the last one.
    const other = make();
    other.place();
    let appends = 0;
    let names = 0;
    const seen: number[] = [];
    while (appends < 7) {
      insert(directory, spread(names++));
      if (directory.growth === Growth.Split) {
        appends++;
        seen.push(directory.content.extentBlocks.length);
        other.content.append(groups, 0, 0, new Trail());
        if (seen.at(-1) === 1) {
          const sink = new TestSink();
          sink.begin(10);
          sink.handle(40, 0, 0, 1, 0);
          trail.replay(sink);
          const blocks = sink.records.flatMap((r) => (r.record === "handle" ? r.accesses : []));
          expect(blocks.map((a) => a.block)).toContain(directory.content.extentBlocks[0]);
        }
      }
    }
    expect(seen[0]).toBe(0);
    expect(seen.at(-1)).toBe(1);
  });
});
