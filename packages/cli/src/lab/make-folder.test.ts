import { existsSync, mkdtempSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, it } from "vitest";
import { makeFolder } from "./make-folder.js";

it("makes all that lead to a folder, takes one that is there, and refuses a file", () => {
  const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
  makeFolder(join(folder, "a/b/c"));
  makeFolder(join(folder, "a/b/c"));
  expect(statSync(join(folder, "a/b/c")).isDirectory()).toBe(true);
  writeFileSync(join(folder, "file"), "");
  expect(() => makeFolder(join(folder, "file"))).toThrow(/EEXIST/);
  expect(() => makeFolder(join(folder, "file/x"))).toThrow(/EEXIST|ENOTDIR/);
  rmSync(folder, { recursive: true });
});

it.runIf(existsSync("/proc/self"))("ends where no folder can be made", () => {
  expect(() => makeFolder("/proc/nowhere/x")).toThrow(/ENOENT|EPERM|EACCES/);
});
