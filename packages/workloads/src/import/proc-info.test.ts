import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { diagnose } from "./diagnosis.js";
import { ImportError } from "./import-error.js";
import { parseText } from "./lines.js";
import {
  type ProcInfoFile,
  ProcInfoParser,
  procInfoDifference,
  procInfoMeasurements,
  readProcInfo,
} from "./proc-info.js";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/${name}`, import.meta.url));
const parse = (text: string): ProcInfoFile => parseText("info", text, new ProcInfoParser("info"));

const OLD = `12 transaction, each up to 8192 blocks
average:
  0ms waiting for transaction
  5000ms running transaction
  10ms transaction was being locked
  0ms flushing data (in ordered mode)
  40ms logging transaction
  3000us average transaction commit time
  9 handles per transaction
  20 blocks per transaction
  21 logged blocks per transaction
`;

describe("/proc/fs/jbd2/<dev>/info", () => {
  test("the reference prints", () => {
    const info = readProcInfo(fixture("traces/linux-6.18-fsmark-4m.info.txt"));
    expect(info).toMatchObject({ stepMs: 4, consumed: "consumed 1 of 1 prints" });
    expect(info.prints[0]).toMatchObject({
      transactions: 22,
      requested: 22,
      maxTransactionBlocks: 341,
      meansMs: { wait: 0, requestDelay: 0, running: 124, locked: 0, flushing: 0, logging: 8 },
      commitUs: 9006,
      handlesPerTransaction: 2686,
      blocksPerTransaction: 292,
      loggedPerTransaction: 295,
    });
    for (const name of ["fsmark-4k", "remove-tree"]) {
      expect(readProcInfo(fixture(`journals/${name}.info.txt`)).prints).toHaveLength(1);
    }
  });

  test("the old form has no request delay", () => {
    const [print] = parse(OLD).prints;
    expect(print).toMatchObject({ transactions: 12, requested: undefined });
    expect(print!.meansMs).toEqual({
      wait: 0,
      running: 5000,
      locked: 10,
      flushing: 0,
      logging: 40,
    });
  });

  test("several prints in a mail, quoted, are told apart", () => {
    const twice = (OLD + OLD.replace("12 tr", "20 tr")).replaceAll(/^/gm, "> ");
    expect(parse(twice).prints.map(({ transactions }) => transactions)).toEqual([12, 20]);
    expect(parse(twice).prints.map(({ line }) => line)).toEqual([1, 12]);
  });

  test("before the first commit there is only the header", () => {
    const { prints } = parse("0 transactions (0 requested), each up to 1024 blocks\n");
    expect(prints[0]).toMatchObject({ transactions: 0, handlesPerTransaction: undefined });
  });

  test("the difference of two prints is that of their sums", () => {
    const later = OLD.replace("12 tr", "24 tr").replace("  40ms", "  60ms");
    const [a, b] = parse(OLD + later).prints;
    expect(procInfoDifference(a!, b!)).toMatchObject({
      transactions: 12,
      meansMs: { logging: 80, running: 5000 },
      blocksPerTransaction: 20,
    });
    expect(() => procInfoDifference(b!, a!)).toThrow(RangeError);
  });

  test("a waiting time of 0 is unknown, and checkpoints are not blamed", () => {
    const [print] = readProcInfo(fixture("traces/linux-6.18-fsmark-4m.info.txt")).prints;
    const measurements = procInfoMeasurements(print!);
    expect(measurements.phasesMs.wait).toBeUndefined();
    expect(measurements.checkpoints).toBeUndefined();
    expect(diagnose(measurements)).toMatchObject({
      complaint: "unknown",
      sentence: expect.stringContaining("closed by size, not by the timer"),
    });
  });

  test("anything else is refused with its line", () => {
    expect(() => parse("")).toThrow(ImportError);
    expect(() => parse("x\n")).toThrow(/^info:1: expected N transactions .*, found "x"$/);
    expect(() => parse(OLD.replace("0ms flu", "0us flu"))).toThrow(/^info:6: expected a mean of/);
    expect(() => parse(OLD.replace("average:\n", ""))).toThrow(/^info:2: expected average:/);
    expect(() => parse(OLD.split("\n").slice(0, 7).join("\n"))).toThrow(
      /expected a line "N handles per transaction", found the end of the print/,
    );
    expect(() => parse(`${OLD}  9 handles per transaction\n`)).toThrow(
      /^info:12: expected one line/,
    );
  });
});
