import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { sampleRun } from "../testing/samples.js";
import { readUnfinished, Store } from "./store.js";

describe("report folder", () => {
  let folder = "";
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  it("a file appears whole and leaves nothing beside it", () => {
    const store = new Store(join(folder, "a", "b"));
    store.write("x.csv", "1\n");
    store.write("x.csv", "2\n");
    store.finish();
    expect(readdirSync(store.folder)).toEqual(["x.csv"]);
    expect(readFileSync(join(store.folder, "x.csv"), "utf8")).toBe("2\n");
  });

  it("a folder that is a file is refused", () => {
    writeFileSync(join(folder, "file"), "");
    expect(() => new Store(join(folder, "file"))).toThrow(/--out .*expected a folder to write to/);
  });

  it("two processes keep their runs apart", () => {
    const [one, two] = [new Store(folder), new Store(folder)];
    one.append(sampleRun({ seed: 1 }));
    two.append(sampleRun({ seed: 2 }));
    expect(readdirSync(folder)).toHaveLength(2);
    one.finish();
    expect(readFileSync(two.leave(), "utf8")).toContain('"seed":2');
  });

  it("runs of a process that is no more are read back, a torn last line is dropped", () => {
    const run = sampleRun();
    const path = join(folder, "unfinished-00000000-0000-4000-8000-000000000000.jsonl");
    const lines = [JSON.stringify({ pid: 2 ** 30 }), JSON.stringify(run), '{"seed": 2, "ru'];
    writeFileSync(path, lines.join("\n"));
    expect(readUnfinished(folder)).toEqual([{ file: path, runs: [run] }]);
  });

  it("runs of a living process are left to it", () => {
    const store = new Store(folder);
    store.append(sampleRun());
    expect(readUnfinished(folder)).toEqual([]);
    store.finish();
  });

  it("a folder that does not exist has nothing to resume", () => {
    expect(readUnfinished(join(folder, "none"))).toEqual([]);
  });
});
