import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { parseWorkload } from "./registry.js";
import { handlesOf, type Written, writeAll } from "./testing/sink.js";

const geometry = new Geometry();
const context = { seed: 1, geometry, journalBlocks: 4096 };
const records = (text: string): Written[] => writeAll(parseWorkload(text).create(context))[0]!;

describe("mail-spool", () => {
  it("makes, fsyncs and renames each mail, and removes the oldest of a full mailbox", () => {
    const delivered = records("mail-spool,mails=300,users=5,keep=10");
    const handles = handlesOf(delivered);
    const count = (wanted: number) => handles.filter((h) => h.credits === wanted).length;
    expect(handles.filter((h) => h.data !== undefined).length).toBe(300);
    expect(count(63)).toBe(300);
    expect(count(25)).toBe(300 - 5 * 10);
    expect(delivered.filter((each) => each.record === "fsync").length).toBe(300);
    const kinds = delivered.slice(0, 3).map((each) => each.record);
    expect(kinds).toEqual(["handle", "fsync", "handle"]);
  });

  it("does without fsync when told", () => {
    const delivered = records("mail-spool,mails=50,fsync=false");
    expect(delivered.some((each) => each.record === "fsync")).toBe(false);
  });

  it("uses the inodes of removed mails again", () => {
    const handles = handlesOf(records("mail-spool,mails=2000,users=4,keep=5"));
    const inodes = new Set(handles.filter((h) => h.data !== undefined).map((h) => h.inode));
    expect(inodes.size).toBeLessThan(40);
  });

  it("gives few users much of the mail", () => {
    const handles = handlesOf(records("mail-spool,mails=4000,users=100,keep=1000"));
    const leaves = handles.filter((h) => h.credits === 63).map((h) => h.accesses.at(-1)!.block);
    const counts = new Map<number, number>();
    for (const block of leaves) counts.set(block, (counts.get(block) ?? 0) + 1);
    // 200 directory inodes, 16 to a block: even shares would be 4000 / 13.
    expect(Math.max(...counts.values())).toBeGreaterThan(1.4 * (4000 / 13));
  });
});
