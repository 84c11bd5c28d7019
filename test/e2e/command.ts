import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";

const bin = fileURLToPath(new URL("../../packages/cli/bin/jbdlab.js", import.meta.url));

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The built command with these words, running. */
export function start(words: readonly string[], cwd = tmpdir()) {
  const env = { ...process.env, NO_COLOR: "1", LANG: "C.UTF-8" };
  const child: ChildProcess = spawn(process.execPath, [bin, ...words], { cwd, env });
  let stdout = "";
  let stderr = "";
  child.stdout?.on("data", (text) => (stdout += text));
  child.stderr?.on("data", (text) => (stderr += text));
  const ended = new Promise<Ended>((resolve) => {
    child.on("close", (code, signal) => resolve({ code, signal, stdout, stderr }));
  });
  return { child, ended };
}

/** The built command with these words, ended. */
export function jbdlab(words: readonly string[], cwd?: string): Promise<Ended> {
  return start(words, cwd).ended;
}

/** A folder that goes when the test ends. */
export function scratchFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "jbdlab-e2e-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** Every file of a folder as text, by name. */
export function filesOf(folder: string): Record<string, string> {
  const names = readdirSync(folder).sort();
  return Object.fromEntries(names.map((name) => [name, readFileSync(join(folder, name), "utf8")]));
}

/** Runs kept so far by a sweep that writes to the folder. */
export function keptRuns(folder: string): number {
  let names: string[] = [];
  try {
    names = readdirSync(folder).filter((name) => name.startsWith("unfinished-"));
  } catch {
    return 0;
  }
  const lines = names.map(
    (name) => readFileSync(join(folder, name), "utf8").split("\n").length - 2,
  );
  return lines.reduce((sum, count) => sum + Math.max(0, count), 0);
}

/** Resolves when the folder holds that many finished runs. */
export async function untilKept(folder: string, runs: number, seconds = 50): Promise<void> {
  const until = performance.now() + seconds * 1000;
  while (keptRuns(folder) < runs) {
    if (performance.now() > until) throw new Error(`${keptRuns(folder)} runs after ${seconds} s`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
