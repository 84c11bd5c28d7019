import { describe, expect, it } from "vitest";
import { Geometry } from "./ext4/geometry.js";
import { parseSize, rangeOf } from "./parameters.js";
import { listWorkloads, parseWorkload, workloadNamed, workloadSpec } from "./registry.js";

describe("a workload's text", () => {
  it("names a generator, its parameters and sizes with units", () => {
    const spec = parseWorkload("fsmark,files=10000, size=4KiB,threads=4");
    expect(spec.name).toBe("fsmark");
    expect(spec.parameters).toMatchObject({ files: 10_000, size: 4096, threads: 4, sync: 0 });
  });

  it("reads back from its canonical form, which leaves defaults out", () => {
    const spec = parseWorkload("fsmark,size=16KiB,files=15200,sync=3");
    expect(spec.text).toBe("fsmark,size=16384,sync=3");
    expect(parseWorkload(spec.text).parameters).toEqual(spec.parameters);
    expect(parseWorkload("mail-spool,fsync=false").text).toBe("mail-spool,fsync=false");
  });

  it("says whether it fixes the amount of work", () => {
    expect(parseWorkload("fsmark,files=10").fixedWork).toBe(false);
    expect(parseWorkload("fsmark,iterations=8").fixedWork).toBe(true);
    expect(parseWorkload("untar,files=10").fixedWork).toBe(true);
    expect(parseWorkload("journal:a.gz").fixedWork).toBe(false);
    expect(parseWorkload("handles:a.gz,repeat=2").fixedWork).toBe(true);
  });

  it.each([
    ["fsmrk", 'unknown workload "fsmrk"; did you mean fsmark?'],
    ["jurnal:x", 'unknown workload "jurnal:x"; did you mean journal:<file>?'],
    ["", 'unknown workload ""; did you mean'],
    ["fsmark,file=3", 'workload fsmark: unknown parameter "file"; did you mean files?'],
    ["fsmark,files", 'workload "fsmark,files": expected parameter=value, found "files"'],
    ["fsmark,=3", 'workload "fsmark,=3": expected parameter=value, found "=3"'],
    ["fsmark,files=1,files=2", "workload fsmark: parameter files is given twice"],
    [
      "fsmark,files=many",
      'workload fsmark: parameter files: expected a whole number from 1 to 10000000, found "many"',
    ],
    ["fsmark,files=1.5", "expected a whole number from 1 to 10000000, found 1.5"],
    [
      "fsmark,sync=7",
      "workload fsmark: parameter sync: expected a whole number from 0 to 6, found 7",
    ],
    ["fsmark,size=4XB", 'parameter size: expected a size from 0 to 67108864 bytes, found "4XB"'],
    ["fsmark,size=1GiB", "expected a size from 0 to 67108864 bytes, found 1073741824"],
    ["fsmark,cpuScale=-1", "parameter cpuScale: expected a number from 0 to 100, found -1"],
    ["mail-spool,fsync=yes", 'parameter fsync: expected true or false, found "yes"'],
    ["journal:", "workload journal: expected a file name, found nothing"],
    ["handles:,repeat=3", "workload handles: expected a file name, found nothing"],
  ])("%j is refused in one line", (text, message) => {
    expect(() => parseWorkload(text)).toThrow(message);
    try {
      parseWorkload(text);
    } catch (error) {
      expect((error as Error).name).toBe("WorkloadError");
      expect((error as Error).message).not.toMatch(/\n/);
    }
  });

  it("keeps commas and equal signs in file names apart from options at the end", () => {
    expect(parseWorkload("journal:/data/a,b=c/d.gz").file).toBe("/data/a,b=c/d.gz");
    expect(parseWorkload("journal:/data/a,b,repeat=3").file).toBe("/data/a,b");
    expect(parseWorkload("handles:x=1.txt").file).toBe("x=1.txt");
  });

  it("of a file that is missing is refused when the workload is made", () => {
    const spec = parseWorkload("journal:/no/such/file,repeat=2");
    const context = { seed: 1, geometry: new Geometry(), journalBlocks: 4096 };
    expect(() => spec.create(context)).toThrow(/\/no\/such\/file/);
  });
});

describe("the registry", () => {
  it("finds every generator by its name, documented, with defaults in range", () => {
    const names = listWorkloads().map((each) => each.name);
    expect(names).toEqual([
      "fsmark",
      "fsync-append",
      "untar",
      "remove-tree",
      "mail-spool",
      "hot-set",
    ]);
    for (const definition of listWorkloads()) {
      expect(workloadNamed(definition.name)).toBe(definition);
      expect(workloadSpec(definition).text).toBe(definition.name);
      const { idea, source, blocks, seedVaries } = definition.doc;
      for (const text of [definition.summary, idea, source, blocks, seedVaries]) {
        expect(text.length).toBeGreaterThan(20);
      }
      expect(Object.keys(definition.parameters)).toContain(definition.work);
      for (const parameter of Object.values(definition.parameters)) {
        expect(parameter.help.length).toBeGreaterThan(5);
        expect(rangeOf(parameter)).not.toBe("");
      }
    }
  });

  it("refuses a parameter of the wrong type from a program", () => {
    const fsmark = workloadNamed("fsmark");
    expect(() => workloadSpec(fsmark, { files: "10" })).toThrow(/found "10"/);
    expect(() => workloadSpec(fsmark, { toString: 1 })).toThrow(/unknown parameter "toString"/);
  });
});

describe("sizes", () => {
  it.each([
    ["0", 0],
    ["512B", 512],
    ["4KiB", 4096],
    ["4k", 4096],
    ["1.5M", 1572864],
    ["2GiB", 2 ** 31],
    ["1TiB", 2 ** 40],
    ["1e3", 1000],
    ["KiB", undefined],
    ["4 KiB", undefined],
    ["4KB", undefined],
  ])("%s", (text, bytes) => {
    expect(parseSize(text)).toBe(bytes);
  });
});
