import { Access } from "@jbdlab/core-wasm";
import { parseTraceLine, type TraceLine } from "./ftrace/line.js";
import { type Call, type Operation, parseCall } from "./handles/call.js";
import { ImportError } from "./import-error.js";
import { badLine, type Ending, type LineParser } from "./lines.js";

/** Accesses of one handle that the core takes; a larger recorded handle goes on in a second one. */
const MAX_ACCESSES = 4096;
const MAX_THREADS = 256;
const SYNC = 0x8000_0000;

const KINDS: Readonly<Partial<Record<Operation, Access>>> = {
  W: Access.Write,
  N: Access.Create,
  U: Access.Undo,
  F: Access.Forget,
};

/**
 * Recorded handles, compact: per thread a stream of words, `count | sync << 31, credits,
 * access...`, an access being `kind << 29 | index into blocks`.
 */
export interface RecordedHandles {
  readonly file: string;
  /** File-system block numbers, in the order they were first touched. */
  readonly blocks: Float64Array;
  /** One per thread; tasks that follow one another share a thread. */
  readonly threads: readonly Uint32Array[];
  /** Names and process ids of each thread's tasks, in order. */
  readonly tasks: readonly (readonly string[])[];
  readonly handles: number;
  readonly accesses: number;
  /** Largest number of credits a handle asks for. */
  readonly largestCredits: number;
  /** "consumed 40065 of 40065 handles". */
  readonly consumed: string;
}

/** A growing array of 32-bit words. */
class Words {
  #words = new Uint32Array(1024);
  length = 0;

  push(word: number): void {
    if (this.length === this.#words.length) {
      const larger = new Uint32Array(this.length * 2);
      larger.set(this.#words);
      this.#words = larger;
    }
    this.#words[this.length++] = word;
  }

  set(at: number, word: number): void {
    this.#words[at] = word;
  }

  take(): Uint32Array {
    return this.#words.slice(0, this.length);
  }
}

interface Task {
  readonly name: string;
  readonly words: Words;
  /** Line of the first and last event: tasks whose lines do not overlap share a thread. */
  readonly from: number;
  to: number;
  /** jbd2 nests: only the outermost start and stop count. */
  depth: number;
  /** Word of the open handle. */
  head: number;
  count: number;
  credits: number;
  seen: boolean;
  /** Block of the revoke that was the task's last call. */
  revoking: number | undefined;
}

/**
 * Parses a recorded handle sequence, in trace text: one line per jbd2 call, its arguments being
 * `S credits line` start, `W|N|U block` get write | create | undo access, `F block` forget or
 * revoke, `E sync` stop. Kprobe output with named arguments is read too (RECORDING.md says how
 * to get it on any machine). Throws ImportError, with the line, on anything out of order.
 */
export class HandlesParser implements LineParser<RecordedHandles> {
  readonly #tasks = new Map<number, Task>();
  readonly #blocks = new Map<number, number>();
  #handles = 0;
  #accesses = 0;
  #headless = 0;
  #others = 0;
  #largestCredits = 0;
  #lastBad: ImportError | undefined;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    if (this.#lastBad !== undefined) {
      throw this.#lastBad;
    }
    if (text === "" || text.startsWith("#")) {
      return;
    }
    if (/\[LOST \d+ EVENTS\]/.test(text)) {
      throw badLine(this.file, number, "a recording without lost events", text);
    }
    const line = parseTraceLine(text);
    const call = line === undefined ? undefined : parseCall(line);
    if (line === undefined || call === "malformed") {
      // Forgiven only as the last line of a recording that was cut off.
      const expected = "a recorded call (S credits line | W, N, U or F block | E sync)";
      this.#lastBad = badLine(this.file, number, expected, text);
      return;
    }
    if (call === undefined) {
      this.#others++;
      return;
    }
    const fail = (expected: string, found: string): ImportError =>
      new ImportError(this.file, { line: number }, expected, found);
    const task = this.#task(line, number);
    // jbd2_journal_revoke() calls jbd2_journal_forget() for a block in memory: one forget.
    const inner = line.event === "jbd2_journal_forget" && task.revoking === call.value;
    task.revoking = line.event === "jbd2_journal_revoke" ? call.value : undefined;
    if (!inner) {
      this.#apply(task, call, fail);
    }
  }

  #task(line: TraceLine, number: number): Task {
    let task = this.#tasks.get(line.pid);
    if (task === undefined) {
      task = {
        name: `${line.comm}-${line.pid}`,
        words: new Words(),
        from: number,
        to: number,
        depth: 0,
        head: 0,
        count: 0,
        credits: 0,
        seen: false,
        revoking: undefined,
      };
      this.#tasks.set(line.pid, task);
    }
    task.to = number;
    return task;
  }

  #apply(task: Task, call: Call, fail: (expected: string, found: string) => ImportError): void {
    if (call.operation === "S") {
      this.#start(task, call.value, fail);
      return;
    }
    if (task.depth === 0) {
      if (task.seen) {
        throw fail(`a start (S) of ${task.name}`, `${call.operation} without an open handle`);
      }
      // The recording began inside a handle.
      this.#headless += call.operation === "E" ? 1 : 0;
      return;
    }
    if (call.operation === "E") {
      task.depth--;
      if (task.depth === 0) {
        this.#close(task, call.value !== 0);
      }
      return;
    }
    if (task.count === MAX_ACCESSES) {
      this.#close(task, false);
      this.#open(task);
    }
    const kind = KINDS[call.operation]!;
    let index = this.#blocks.get(call.value);
    if (index === undefined) {
      index = this.#blocks.size;
      this.#blocks.set(call.value, index);
    }
    task.words.push(kind * 2 ** 29 + index);
    task.count++;
  }

  #start(task: Task, credits: number, fail: (e: string, f: string) => ImportError): void {
    task.seen = true;
    task.depth++;
    if (task.depth > 1) {
      return;
    }
    if (credits < 1 || credits > 0x7fff_ffff) {
      throw fail("credits of 1 ... 2^31-1", String(credits));
    }
    this.#largestCredits = Math.max(this.#largestCredits, credits);
    task.credits = credits;
    this.#open(task);
  }

  #open(task: Task): void {
    task.head = task.words.length;
    task.count = 0;
    task.words.push(0);
    task.words.push(task.credits);
  }

  #close(task: Task, sync: boolean): void {
    task.words.set(task.head, task.count + (sync ? SYNC : 0));
    this.#handles++;
    this.#accesses += task.count;
  }

  finish(ending: Ending): RecordedHandles {
    if (this.#lastBad !== undefined && !ending.unterminated) {
      throw this.#lastBad;
    }
    let open = 0;
    for (const task of this.#tasks.values()) {
      if (task.depth > 0) {
        open++;
        task.words.length = task.head;
        task.depth = 0;
      }
    }
    if (this.#handles === 0) {
      const events = `none in ${ending.lines} lines (${this.#others} other events)`;
      throw new ImportError(this.file, undefined, "at least one recorded handle", events);
    }
    const threads = this.#threads();
    return {
      file: this.file,
      blocks: Float64Array.from(this.#blocks.keys()),
      threads: threads.map((tasks) => joined(tasks.map(({ words }) => words.take()))),
      tasks: threads.map((tasks) => tasks.map(({ name }) => name)),
      handles: this.#handles,
      accesses: this.#accesses,
      largestCredits: this.#largestCredits,
      consumed: this.#consumed(open),
    };
  }

  #threads(): Task[][] {
    const threads: Task[][] = [];
    for (const task of this.#tasks.values()) {
      if (task.words.length === 0) {
        continue;
      }
      const free = threads.find((tasks) => tasks.at(-1)!.to < task.from);
      if (free === undefined) {
        threads.push([task]);
      } else {
        free.push(task);
      }
    }
    if (threads.length > MAX_THREADS) {
      const expected = `at most ${MAX_THREADS} tasks at once`;
      throw new ImportError(this.file, undefined, expected, String(threads.length));
    }
    return threads;
  }

  #consumed(open: number): string {
    const notes: string[] = [];
    if (this.#headless > 0) {
      notes.push(`${this.#headless} begun before the recording`);
    }
    if (open > 0) {
      notes.push(`${open} open at its end`);
    }
    if (this.#lastBad !== undefined) {
      notes.push("the last line is cut off");
    }
    if (this.#others > 0) {
      notes.push(`${this.#others} other events passed over`);
    }
    const all = this.#handles + this.#headless + open;
    const why = notes.length === 0 ? "" : `; ${notes.join(", ")}`;
    return `consumed ${this.#handles} of ${all} handles${why}`;
  }
}

function joined(parts: readonly Uint32Array[]): Uint32Array {
  if (parts.length === 1) {
    return parts[0]!;
  }
  const all = new Uint32Array(parts.reduce((sum, { length }) => sum + length, 0));
  let at = 0;
  for (const part of parts) {
    all.set(part, at);
    at += part.length;
  }
  return all;
}
