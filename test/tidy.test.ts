import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";
import ts from "typescript";
import { describe, expect, it } from "vitest";

const MAX_LINES = 300;
const MAX_COLUMNS = 100;
const MAX_FUNCTION_LINES = 70;
const MAX_BYTES = 2_000_000;

const root = fileURLToPath(new URL("..", import.meta.url));
const tracked = execFileSync("git", ["ls-files", "-z"], { cwd: root, encoding: "utf8" })
  .split("\0")
  .filter((path) => path !== "" && statSync(root + path, { throwIfNoEntry: false })?.isFile());
const sources = tracked.filter((path) => path.endsWith(".ts") && !path.includes("/fixtures/"));
const text = new Map(sources.map((path) => [path, readFileSync(root + path, "utf8")]));

// Spelled in two halves, so that this file does not find itself.
const BANNED = [
  ["TO", "DO"],
  ["FIX", "ME"],
  ["not ", "implemented"],
  ["sub", "agent"],
  ["farm", "-"],
  ["\\.sk", "ip\\("],
  ["\\.on", "ly\\("],
  ["/work/", "(main|shared)"],
  ["/ro", "ot/"],
  ["/t", "mp/h"],
].map((halves) => new RegExp(halves.join("")));

function offences(find: (line: string, number: number) => boolean): string[] {
  return [...text].flatMap(([path, body]) =>
    body.split("\n").flatMap((line, i) => (find(line, i + 1) ? [`${path}:${i + 1}`] : [])),
  );
}

function longFunctions(path: string, body: string): string[] {
  const file = ts.createSourceFile(path, body, ts.ScriptTarget.Latest, true);
  const found: string[] = [];
  const lineOf = (position: number) => file.getLineAndCharacterOfPosition(position).line + 1;
  const visit = (node: ts.Node): void => {
    if (ts.isFunctionLike(node)) {
      const from = lineOf(node.getStart(file));
      const lines = lineOf(node.end) - from + 1;
      if (lines > MAX_FUNCTION_LINES) found.push(`${path}:${from} ${lines} lines`);
    }
    ts.forEachChild(node, visit);
  };
  visit(file);
  return found;
}

describe("tidy", () => {
  it("no source file is longer than the budget", () => {
    const long = [...text].filter(([, body]) => body.trimEnd().split("\n").length > MAX_LINES);
    expect(long.map(([path]) => path)).toEqual([]);
  });

  it("no source line is wider than the budget", () => {
    expect(offences((line) => line.length > MAX_COLUMNS)).toEqual([]);
  });

  it("no function outside tests is longer than the budget", () => {
    const own = [...text].filter(([path]) => !path.endsWith(".test.ts"));
    expect(own.flatMap(([path, body]) => longFunctions(path, body))).toEqual([]);
  });

  it("no source speaks of unfinished work, left-out tests or the machine it was written on", () => {
    expect(offences((line) => BANNED.some((word) => word.test(line)))).toEqual([]);
  });

  it("no tracked file is a large blob", () => {
    expect(tracked.filter((path) => statSync(root + path).size > MAX_BYTES)).toEqual([]);
  });

  it("the budgets themselves bite", () => {
    const body = `function f() {\n${"g();\n".repeat(MAX_FUNCTION_LINES)}}\n`;
    expect(longFunctions("sample.ts", body)).toHaveLength(1);
  });
});
