import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { parseWorkload } from "./registry.js";
import { handlesOf, writeAll } from "./testing/sink.js";

const geometry = new Geometry();
const context = { seed: 1, geometry, journalBlocks: 4096 };

describe("fsync-append", () => {
  const records = writeAll(
    parseWorkload("fsync-append,appends=40,size=8KiB,fileSize=64KiB").create(context),
  )[0]!;

  it("fsyncs the file after each append", () => {
    const kinds = records.map((record) => record.record);
    expect(kinds.filter((kind) => kind === "fsync").length).toBe(40);
    for (const [i, record] of records.entries()) {
      if (record.record === "fsync") {
        const before = records[i - 1]!;
        expect(before.record === "handle" && before.inode).toBe(record.inode);
        expect(before.record === "handle" && before.data?.blocks).toBe(2);
      }
    }
  });

  it("appends behind the last data of the file", () => {
    const ends = new Map<number, number>();
    for (const { credits, inode, data } of handlesOf(records)) {
      // A new file may have the inode of a removed one.
      if (credits === 40) ends.delete(inode);
      if (data !== undefined) {
        expect(data.dataBlock).toBe(ends.get(inode) ?? data.dataBlock);
        ends.set(inode, data.dataBlock + data.blocks);
      }
    }
  });

  it("starts a new file when one is full and removes the one before the last", () => {
    const credits = handlesOf(records).map((handle) => handle.credits);
    // 8 appends of 8 KiB per file: five files, three of them removed.
    expect(credits.filter((each) => each === 40).length).toBe(5);
    expect(credits.filter((each) => each === 25).length).toBe(3);
  });
});
