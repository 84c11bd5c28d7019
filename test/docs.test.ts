import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("..", import.meta.url));
const bin = `${root}packages/cli/bin/jbdlab.js`;
const files = ["README.md", ...readdirSync(`${root}docs`).map((name) => `docs/${name}`)];

/** The words of each `npx jbdlab` command in the shell blocks of a file, without comments. */
function commands(file: string): string[][] {
  const blocks = readFileSync(`${root}${file}`, "utf8").match(/```sh\n[\s\S]*?```/g) ?? [];
  return blocks
    .flatMap((block) => block.split("\n"))
    .flatMap((line) => line.replace(/\s#.*$/, "").split("&&"))
    .map((line) => line.trim().match(/"[^"]*"|\S+/g) ?? [])
    .filter(([npx, name]) => npx === "npx" && name === "jbdlab")
    .map((words) => words.slice(2));
}

const help = new Map<string, string>();
function helpOf(command: string): string {
  const known = help.get(command);
  if (known !== undefined) return known;
  const text = execFileSync(process.execPath, [bin, command, "--help"], { encoding: "utf8" });
  help.set(command, text);
  return text;
}

describe("the documents", () => {
  it.each(files)("%s: every command and option it shows exists", (file) => {
    const shown = commands(file);
    if (file === "README.md") expect(shown.length).toBeGreaterThan(10);
    for (const [command = "", ...words] of shown) {
      const text = helpOf(command);
      expect(text, command).toMatch(new RegExp(`Usage: jbdlab ${command}`));
      for (const word of words.filter((each) => each.startsWith("-"))) {
        expect(text, `${command} ${word}`).toContain(word);
      }
    }
  });

  it.each(files)("%s: every link to a file leads to one", (file) => {
    const text = readFileSync(`${root}${file}`, "utf8");
    for (const [, target = ""] of text.matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/g)) {
      const path = new URL(target, new URL(file, `file://${root}`));
      expect(() => readdirSync(path) && readFileSync(path), target).not.toThrow(/ENOENT/);
    }
  });
});
