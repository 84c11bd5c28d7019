import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { fsmark } from "./fsmark.js";
import { resolveParameters } from "./parameters.js";
import {
  classOf,
  formOf,
  type PlainHandle,
  readRecording,
  transactionLengths,
} from "./testing/recording.js";
import { handlesOf, type Written, writeAll } from "./testing/sink.js";
import { measureWork } from "./work.js";

const RUNS: {
  cpuNsPerHandle: number[];
  runs: {
    journalMiB: number;
    files: number;
    commits: number;
    buffers: number;
    maxTransaction: number;
  }[];
} = JSON.parse(readFileSync(new URL("./fixtures/fsmark-runs.json", import.meta.url), "utf8"));

const geometry = new Geometry();
const REFERENCE = { size: 0, files: 20_000, iterations: 2, cpuScale: 1, thinkJitter: 0 };

function make(seed: number, given: Record<string, unknown>) {
  const parameters = resolveParameters("fsmark", fsmark.parameters, given);
  return fsmark.create(parameters, { seed, geometry, journalBlocks: 4096 });
}

function plain(records: readonly Written[]): PlainHandle[] {
  return handlesOf(records).map(({ credits, accesses }) => {
    const blocks = accesses.map((access) => access.block);
    const created = accesses.map((access) => access.kind === 1);
    return { credits, blocks, form: formOf(credits, blocks, created) };
  });
}

function count<T>(values: Iterable<T>): Map<T, number> {
  const counts = new Map<T, number>();
  for (const value of values) {
    counts.set(value, (counts.get(value) ?? 0) + 1);
  }
  return counts;
}

function share(part: number, whole: number): number {
  return part / whole;
}

const recording = readRecording();
const generated = new Map([1, 2, 3].map((seed) => [seed, writeAll(make(seed, REFERENCE))[0]!]));

describe.each([1, 2, 3])("fsmark with the recording's parameters, seed %i", (seed) => {
  const handles = plain(generated.get(seed)!);

  it("runs as many handles with the same credits", () => {
    expect(handles.length).toBe(recording.length);
    expect(count(handles.map((h) => h.credits))).toEqual(count(recording.map((h) => h.credits)));
  });

  it("touches blocks in the recording's order and kind, in every form of handle", () => {
    const measured = count(recording.map((h) => h.form));
    const made = count(handles.map((h) => h.form));
    expect(new Set(made.keys())).toEqual(new Set(measured.keys()));
    for (const [form, times] of measured) {
      // Which half of a split leaf takes the new name is a coin's toss; all else is exact.
      const split = form.includes("D1");
      const slack = split && times > 1 ? 3.5 * Math.sqrt(times) : times > 30_000 ? 40 : 0;
      expect(Math.abs(made.get(form)! - times), form).toBeLessThanOrEqual(slack);
    }
  });

  it("begins with the recording's blocks, until a leaf splits", () => {
    const plainBlocks = (list: readonly PlainHandle[]) => list.slice(0, 86).map((h) => h.blocks);
    expect(plainBlocks(handles)).toEqual(plainBlocks(recording));
  });

  it("has 8.0 accesses per handle, 5.0 of them distinct", () => {
    const accesses = handles.reduce((sum, h) => sum + h.blocks.length, 0);
    const distinct = handles.reduce((sum, h) => sum + new Set(h.blocks).size, 0);
    expect(share(accesses, handles.length)).toBeCloseTo(8.018, 2);
    expect(share(distinct, handles.length)).toBeCloseTo(5.035, 2);
  });

  it("touches as many different blocks per 1000 handles, all along the run", () => {
    const windows = (list: readonly PlainHandle[]) =>
      Array.from({ length: 40 }, (_, i) => {
        const blocks = list.slice(i * 1000, (i + 1) * 1000).flatMap((h) => h.blocks);
        return new Set(blocks).size;
      });
    const measured = windows(recording);
    const made = windows(handles);
    for (const [i, blocks] of measured.entries()) {
      expect(Math.abs(made[i]! / blocks - 1), `window ${i}`).toBeLessThan(0.08);
    }
    const sum = (list: number[]) => list.reduce((a, b) => a + b, 0);
    expect(Math.abs(sum(made) / sum(measured) - 1)).toBeLessThan(0.01);
  });

  it("fills transactions of 979 blocks with the recording's number of handles, within 2 %", () => {
    const measured = transactionLengths(recording, 979);
    const made = transactionLengths(handles, 979);
    expect(made.length).toBe(measured.length);
    for (const [i, length] of measured.entries()) {
      expect(Math.abs(made[i]! / length - 1), `transaction ${i}`).toBeLessThan(0.02);
    }
  });

  it("comes back to each class of block at the recording's distances", () => {
    const measured = distances(recording);
    const made = distances(handles);
    for (const [key, times] of measured) {
      const allowed = Math.max(25, 0.06 * times);
      expect(Math.abs((made.get(key) ?? 0) - times), key).toBeLessThan(allowed);
    }
  });

  it("costs the recording's CPU time, all along the run", () => {
    const records = handlesOf(generated.get(seed)!);
    const ratios: number[] = [];
    for (const [i, measured] of RUNS.cpuNsPerHandle.entries()) {
      const window = records.slice(i * 2000, (i + 1) * 2000);
      const made = window.reduce((sum, h) => sum + h.thinkNs + h.cpuNs, 0) / window.length;
      // fs_mark's first second ends where the seed says, and from then on names differ.
      expect(Math.abs(made / measured - 1), `window ${i}`).toBeLessThan(0.05);
      ratios.push(made / measured);
    }
    const mean = ratios.reduce((a, b) => a + b, 0) / ratios.length;
    expect(Math.abs(mean - 1)).toBeLessThan(0.01);
  });
});

/** How many blocks of a class are touched again after n transactions of 979 blocks: "D +2". */
function distances(handles: readonly PlainHandle[]): Map<string, number> {
  const lengths = transactionLengths(handles, 979);
  const last = new Map<number, number>();
  const found: string[] = [];
  let at = 0;
  for (const [transaction, length] of [...lengths, handles.length].entries()) {
    const blocks = new Set(handles.slice(at, at + length).flatMap((h) => h.blocks));
    for (const block of blocks) {
      const before = last.get(block);
      found.push(`${classOf(block)} ${before === undefined ? "new" : `+${transaction - before}`}`);
      last.set(block, transaction);
    }
    at += length;
  }
  return count(found);
}

describe("fsmark over eight iterations", () => {
  it.each(RUNS.runs)("closes as many transactions as the $journalMiB MiB runs did", (run) => {
    const files = 950 * run.journalMiB;
    const workload = make(4, { size: 0, files, cpuScale: 1 });
    const measure = measureWork(workload, run.maxTransaction);
    // Directories that are never reached are never made.
    expect(measure.handles).toBeGreaterThan(run.files + 30);
    expect(measure.handles).toBeLessThanOrEqual(run.files + 65);
    // The last, open transaction is no commit of the runs.
    expect(measure.transactions - 1).toBe(run.commits);
  });

  it("holds the runs' buffers in these transactions, within 1 %", () => {
    for (const { journalMiB, commits, buffers, maxTransaction } of RUNS.runs) {
      const records = writeAll(make(5, { size: 0, files: 950 * journalMiB, cpuScale: 1 }))[0]!;
      let total = 0;
      let closed = 0;
      let touched = new Set<number>();
      const room = maxTransaction - 1 - Math.ceil(maxTransaction / 253);
      for (const { credits, accesses } of handlesOf(records)) {
        if (touched.size + credits > room) {
          total += touched.size;
          closed++;
          touched = new Set();
        }
        for (const { block } of accesses) {
          touched.add(block);
        }
      }
      expect(closed).toBe(commits);
      expect(Math.abs(total / buffers - 1)).toBeLessThan(0.01);
    }
  });
});
