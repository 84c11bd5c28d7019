import type { HandleSink, Workload } from "@jbdlab/core-wasm";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { listWorkloads, parseWorkload, workloadSpec } from "./registry.js";
import { handlesOf, writeAll } from "./testing/sink.js";
import { measureWork, scaleToWraps } from "./work.js";

const geometry = new Geometry();
const contextFor = (journalBlocks: number, seed = 1) => ({ seed, geometry, journalBlocks });

/** One thread's handles, given as lists of blocks. */
function listed(lists: readonly (readonly number[])[]): Workload {
  return {
    name: "list",
    threads: 1,
    fill(_thread: number, sink: HandleSink) {
      for (const blocks of lists) {
        sink.handle(blocks.length + 1, 0, 0, 0, 0);
        for (const block of blocks) sink.access(0, block);
      }
      sink.end();
    },
  };
}

describe("measuring work", () => {
  it("counts the distinct blocks of transactions closed by size, as sets do", () => {
    const block = fc.integer({ min: 0, max: 60 });
    const lists = fc.array(fc.array(block, { maxLength: 12 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(lists, (handles) => {
        const max = 40;
        let logged = 0;
        let transactions = 0;
        let running = new Set<number>();
        const close = () => {
          if (running.size > 0) {
            logged += running.size + 2;
            transactions++;
          }
          running = new Set();
        };
        for (const blocks of handles) {
          if (running.size + blocks.length + 1 > max - 2) close();
          for (const each of blocks) running.add(each);
        }
        close();
        const measure = measureWork(listed(handles), max);
        expect(measure.loggedBlocks).toBe(logged);
        expect(measure.transactions).toBe(transactions);
        expect(measure.handles).toBe(handles.length);
      }),
      { numRuns: 200, seed: 5 },
    );
  });

  it("holds far more distinct blocks than its first table", () => {
    const blocks = Array.from({ length: 100_000 }, (_, i) => i * 37);
    const lists = Array.from({ length: 100 }, (_, i) => blocks.slice(i * 1000, (i + 1) * 1000));
    expect(measureWork(listed(lists), 1_000_000).loggedBlocks).toBe(100_000 + 396 + 1);
  });

  it("closes a transaction at every fsync of one thread", () => {
    const spec = parseWorkload("fsync-append,appends=50");
    expect(measureWork(spec.create(contextFor(4096)), 1000).transactions).toBe(50);
  });
});

describe("scaling work to the log", () => {
  const names = listWorkloads().map((each) => each.name);

  it.each(names)("%s fills a log of 8 MiB three times, and not much more", (name) => {
    const context = contextFor(2048);
    const { spec, measure } = scaleToWraps(parseWorkload(name), context, 3);
    const exact = measureWork(spec.create(context), Math.floor(2048 / 3));
    expect(exact.loggedBlocks).toBeGreaterThanOrEqual(3 * 2048);
    expect(exact.loggedBlocks).toBeLessThan(3 * 2048 * 1.5);
    expect(measure.handles / exact.handles).toBeCloseTo(1, 0);
  });

  it("asks for more work on a larger log", () => {
    const handles = [1024, 4096, 16384].map(
      (blocks) => scaleToWraps(parseWorkload("untar"), contextFor(blocks), 2).measure.handles,
    );
    expect(handles[1]!).toBeGreaterThan(handles[0]! * 2);
    expect(handles[2]!).toBeGreaterThan(handles[1]! * 2);
  });

  it("leaves work alone that the text fixes", () => {
    const spec = parseWorkload("fsmark,iterations=1,files=500");
    const scaled = scaleToWraps(spec, contextFor(4096), 3);
    expect(scaled.spec).toBe(spec);
    expect(scaled.measure.handles).toBeGreaterThanOrEqual(500);
  });

  it("stops at what the file system holds", () => {
    const tiny = { ...contextFor(65536), geometry: new Geometry({ size: 2 ** 31 }) };
    const { spec } = scaleToWraps(parseWorkload("fsmark"), tiny, 3);
    expect(spec.parameters!["iterations"]).toBe(Math.floor((131072 - 11 - 65) / 15200));
  });
});

describe.each(listWorkloads().map((each) => each.name))("%s", (name) => {
  const definition = listWorkloads().find((each) => each.name === name)!;
  const spec = workloadSpec(definition, {
    [definition.work]: name === "fsmark" ? 2 : 700,
    ...(name === "fsmark" ? { files: 400 } : {}),
    threads: 3,
  });

  it("gives the same records for the same seed, however large the fills are", () => {
    const one = writeAll(spec.create(contextFor(4096, 9)), 1);
    const many = writeAll(spec.create(contextFor(4096, 9)), 500);
    // Threads share bitmaps, so records of several threads depend on whose turn it is.
    const single = workloadSpec(definition, { ...spec.parameters, threads: 1 });
    expect(writeAll(single.create(contextFor(4096, 9)), 1)).toEqual(
      writeAll(single.create(contextFor(4096, 9)), 500),
    );
    expect(one.map((records) => records.length)).toEqual(many.map((records) => records.length));
    expect(writeAll(spec.create(contextFor(4096, 9)), 50)).toEqual(
      writeAll(spec.create(contextFor(4096, 9)), 50),
    );
  });

  it("gives other records for another seed", () => {
    const of = (seed: number) => writeAll(spec.create(contextFor(4096, seed)));
    expect(of(1)).not.toEqual(of(2));
  });

  it("asks for at least as many credits as a handle touches blocks", () => {
    for (const handle of writeAll(spec.create(contextFor(4096))).flatMap(handlesOf)) {
      const distinct = new Set(handle.accesses.map((access) => access.block)).size;
      expect(distinct).toBeLessThanOrEqual(handle.credits);
      expect(distinct).toBeGreaterThan(0);
      const allocated = new Set(handle.allocation.map((access) => access.block)).size;
      expect(allocated).toBeLessThanOrEqual(handle.data?.credits ?? 0);
    }
  });

  it("stays inside the file system and ends every thread after a barrier", () => {
    const threads = writeAll(spec.create(contextFor(4096)));
    expect(threads.length).toBe(3);
    for (const records of threads) {
      expect(records.at(-1)!.record).toBe("end");
      expect(records.at(-2)!.record).toBe("iteration");
      for (const { accesses, allocation } of handlesOf(records)) {
        const blocks = [...accesses, ...allocation].map((access) => access.block);
        expect(Math.max(...blocks)).toBeLessThan(geometry.blocks);
      }
    }
  });

  it("takes its number of threads from the context when that says one", () => {
    expect(spec.create({ ...contextFor(4096), threads: 2 }).threads).toBe(2);
  });
});
