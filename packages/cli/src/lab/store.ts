import { randomUUID } from "node:crypto";
import {
  closeSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { InputError, oneLine } from "./errors.js";
import { makeFolder } from "./make-folder.js";
import type { RunResult } from "./result.js";

const UNFINISHED = /^unfinished-[0-9a-f-]+\.jsonl$/;

interface Header {
  readonly pid: number;
}

/**
 * A report folder. Finished runs are appended to a file of this process alone, so that whatever
 * ends the process loses none of them; report files appear whole or not at all (written beside,
 * then renamed). Any number of processes may use one folder: the report of the last one to finish
 * stays.
 */
export class Store {
  readonly folder: string;
  readonly #unfinished: string;
  readonly #file: number;

  /** Creates the folder if need be. Throws InputError when nothing can be written there. */
  constructor(folder: string) {
    this.folder = folder;
    this.#unfinished = join(folder, `unfinished-${randomUUID()}.jsonl`);
    try {
      makeFolder(folder);
      this.#file = openSync(this.#unfinished, "ax");
      writeSync(this.#file, `${JSON.stringify({ pid: process.pid } satisfies Header)}\n`);
    } catch (error) {
      throw new InputError(`--out ${folder}: expected a folder to write to: ${oneLine(error)}`);
    }
  }

  /** Keeps a finished run. */
  append(run: RunResult): void {
    try {
      writeSync(this.#file, `${JSON.stringify(run)}\n`);
    } catch (error) {
      throw this.#unwritable(error);
    }
  }

  /** Writes a report file, whole or not at all. */
  write(name: string, text: string): void {
    const beside = join(this.folder, `.${name}.${randomUUID()}`);
    try {
      writeFileSync(beside, text, { flag: "wx" });
      renameSync(beside, join(this.folder, name));
    } catch (error) {
      rmSync(beside, { force: true });
      throw this.#unwritable(error);
    }
  }
  /** The disk is full, the folder gone or read-only: what is finished stays, and the way on. */
  #unwritable(error: unknown): InputError {
    return new InputError(
      `--out ${this.folder}: cannot be written: ${oneLine(error)}; finished runs are kept in ` +
        `${this.#unfinished}: make room, then the same command with --resume`,
    );
  }

  /**
   * The report is complete: what was kept for an interruption goes. `resumed`: files whose runs
   * were taken over.
   */
  finish(resumed: readonly string[] = []): void {
    closeSync(this.#file);
    for (const path of [this.#unfinished, ...resumed]) rmSync(path, { force: true });
  }

  /** The sweep was interrupted: what was kept stays, for `--resume`. */
  leave(): string {
    closeSync(this.#file);
    return this.#unfinished;
  }
}

function alive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === "EPERM";
  }
}

/** A file that a process which is no more left behind. */
export interface Unfinished {
  readonly file: string;
  readonly runs: readonly RunResult[];
}

/** What processes that are no more left in the folder. A torn last line is dropped. */
export function readUnfinished(folder: string): Unfinished[] {
  let names: string[];
  try {
    names = readdirSync(folder).filter((name) => UNFINISHED.test(name));
  } catch {
    return [];
  }
  return names.sort().flatMap((name) => {
    const file = join(folder, name);
    const [header, ...lines] = readFileSync(file, "utf8").split("\n").slice(0, -1);
    if (header === undefined || alive((JSON.parse(header) as Header).pid)) return [];
    return [{ file, runs: lines.map((line) => JSON.parse(line) as RunResult) }];
  });
}
