import { Access } from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { parseWorkload } from "./registry.js";
import { handlesOf, writeAll } from "./testing/sink.js";

const geometry = new Geometry();
const context = { seed: 1, geometry, journalBlocks: 4096 };

describe("remove-tree", () => {
  const handles = handlesOf(
    writeAll(
      parseWorkload("remove-tree,files=3000,treeFiles=1000,filesPerDirectory=120").create(context),
    )[0]!,
  );
  const unlinks = handles.filter((h) => h.credits === 25);

  it("unlinks every name, then evicts its inode in a handle of its own", () => {
    const kinds = handles.map((h) => (h.credits === 25 ? "unlink" : "evict"));
    expect(kinds.every((kind, i) => kind === (i % 2 === 0 ? "unlink" : "evict"))).toBe(true);
    for (let i = 0; i < handles.length; i += 2) {
      expect(handles[i + 1]!.inode).toBe(handles[i]!.inode);
    }
  });

  it("puts the inode on the orphan list in between: the superblock is touched by both", () => {
    for (const { accesses } of handles) {
      expect(accesses.some((access) => access.block === geometry.superblock)).toBe(true);
    }
  });

  it("revokes each block of a directory, and no other", () => {
    const evictions = handles.filter((h) => h.credits !== 25);
    const forgotten = evictions.map((h) =>
      h.accesses.filter((a) => a.kind === Access.Forget).map((a) => a.block),
    );
    const directories = forgotten.filter((blocks) => blocks.length > 0);
    // Three roots, and about 3000 / 120 directories below them, many of them indexed.
    expect(directories.length).toBeGreaterThan(15);
    expect(directories.length + 3000).toBe(unlinks.length);
    expect(directories.some((blocks) => blocks.length >= 3)).toBe(true);
    const written = new Set<number>();
    for (const { accesses } of unlinks) written.add(accesses[0]!.block);
    for (const block of directories.flat()) {
      expect(geometry.groupOfBlock(block)).toBe(128);
      written.delete(block);
    }
    // What remains is the top directory, which stays.
    expect(written.size).toBe(1);
  });

  it("does not touch a block after it was revoked, until it is made again", () => {
    const gone = new Set<number>();
    const again: number[] = [];
    for (const { accesses } of handles) {
      for (const { kind, block } of accesses) {
        if (kind === Access.Forget) gone.add(block);
        else if (gone.has(block)) again.push(block);
      }
    }
    expect(again).toEqual([]);
  });

  it("frees data where it lies: the bitmaps of the files' groups", () => {
    const bitmaps = new Set(
      handles.flatMap((h) => h.accesses.map((a) => a.block)).filter((block) => block === 4194305),
    );
    expect(bitmaps.size).toBe(1);
  });
});
