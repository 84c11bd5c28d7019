import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { formatJournal, parseJournal, parseJournals } from "./sizes.js";
import { formatBytes, formatNs, parseBytes, parseNs, parseNumber, parseWhole } from "./units.js";

describe("journal sizes", () => {
  it("a range doubles, a list keeps its members in order of size", () => {
    expect(parseJournals("4MiB..32MiB")).toEqual([1024, 2048, 4096, 8192]);
    expect(parseJournals("10MiB,4MiB")).toEqual([1024, 2560]);
    expect(parseJournals("4MiB..8MiB,10MiB,8MiB")).toEqual([1024, 2048, 2560]);
    expect(parseJournals("6MiB..24MiB")).toEqual([1536, 3072, 6144]);
  });

  it("a journal below 1024 blocks is refused with the limit", () => {
    expect(() => parseJournal("2MiB")).toThrow(/1024 blocks \(4MiB\).*found 512 blocks/);
    expect(() => parseJournal("32GiB")).toThrow(/16GiB/);
  });

  it("what is no size, no multiple of a block or no range is refused", () => {
    for (const text of ["", "x", "4", "-4MiB", "4MiB..", "4MiB...8MiB", "4 QiB", "NaN", "1e9999"]) {
      expect(() => parseJournals(text), text).toThrow(/--journal/);
    }
    expect(() => parseJournals("8MiB..4MiB")).toThrow(/ends below its start/);
    expect(() => parseJournals("4MiB..10MiB")).toThrow(/reaches 8MiB, not 10MiB/);
    expect(() => parseJournals("4MiB..6MiB..8MiB")).toThrow(/expected a range/);
    expect(() => parseJournal("4198400B")).not.toThrow();
    expect(() => parseJournal("4198401B")).toThrow(/multiple of the block size/);
  });

  it("every size reads back from its text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1024, max: 4194304 }), (blocks) => {
        expect(parseJournal(formatJournal(blocks))).toBe(blocks);
      }),
    );
  });
});

describe("units", () => {
  it("KiB are powers of two, KB are powers of ten", () => {
    expect(parseBytes("4KiB", "x")).toBe(4096);
    expect(parseBytes("4K", "x")).toBe(4096);
    expect(parseBytes("4kB", "x")).toBe(4000);
    expect(parseBytes("1.5MiB", "x")).toBe(1572864);
  });

  it("every time and size reads back from its text", () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 10 ** 12 }), (value) => {
        expect(parseNs(formatNs(value), "x")).toBe(value);
        expect(parseBytes(formatBytes(value), "x")).toBe(value);
      }),
    );
  });

  it("a time needs a unit that exists", () => {
    expect(parseNs("8ms", "x")).toBe(8e6);
    expect(() => parseNs("8 minutes", "flush")).toThrow(/flush: expected a time .*"8 minutes"/);
  });

  it("numbers outside their range are refused", () => {
    expect(parseWhole("7", "n", 1, 9)).toBe(7);
    expect(() => parseWhole("7.5", "n", 1, 9)).toThrow(/whole number from 1 to 9, found "7.5"/);
    expect(() => parseWhole("10", "n", 1, 9)).toThrow();
    expect(() => parseNumber("-1", "n", 0, 9)).toThrow(/number from 0 to 9/);
  });
});
