// Scenarios: small text files with a world, its threads' handles and the trace they have to give.
//
//   # What the file shows, any number of lines.
//   world    journalBlocks=64 rule=v4 device.flushNs=1ms ...   (what differs from BASE)
//   policy   eager                                             (a name of random-policy.ts)
//   show     start stop commit ...                             (what the trace lists)
//   thread 0
//     handle 4 write 10 11 create 12 forget 13 [think=1ms cpu=2us inode=7 sync]
//     data 2 at 5000 credits 3 write 900                       (of the handle above)
//     fsync 7 [think=1ms] | sync [think=1ms] | iteration 3
//   trace
//     <time in us> <what happened>
import {
  Access,
  HandleFlag,
  type HandleSink,
  type PolicyDriver,
  type Workload,
  type WorldConfig,
} from "@jbdlab/core-wasm";
import { MAINLINE, POLICIES } from "./random-policy.js";
import { BASE } from "./scenario-base.js";

export interface Scenario {
  readonly title: string;
  readonly config: WorldConfig;
  /** Names of what the trace lists. */
  readonly show: readonly string[];
  /** Everything up to and with the line "trace". */
  readonly head: string;
  readonly trace: readonly string[];
  workload(): Workload;
  driver(): PolicyDriver | undefined;
}

type Step = (sink: HandleSink) => void;
const KINDS: Readonly<Record<string, Access>> = {
  write: Access.Write,
  create: Access.Create,
  undo: Access.Undo,
  forget: Access.Forget,
};
const UNITS: Readonly<Record<string, number>> = { "": 1, ns: 1, us: 1e3, ms: 1e6, s: 1e9 };

class Parser {
  readonly #file: string;
  #line = 0;
  constructor(file: string) {
    this.#file = file;
  }
  at(line: number): void {
    this.#line = line;
  }
  fail(expected: string, found: string): never {
    throw new Error(`${this.#file}:${this.#line}: expected ${expected}, found "${found}"`);
  }
  number(text: string | undefined): number {
    const match = /^(-?[0-9.]+)(|ns|us|ms|s)$/.exec(text ?? "");
    if (match === null) this.fail("a number with ns, us, ms, s or no unit", text ?? "nothing");
    return Number(match[1]) * (UNITS[match[2] ?? ""] ?? 1);
  }
  /** Blocks "7" or "7..9". */
  blocks(text: string): number[] {
    const [from, to] = text.split("..");
    const first = this.number(from);
    const last = to === undefined ? first : this.number(to);
    return Array.from({ length: last - first + 1 }, (_, i) => first + i);
  }
  /** Sets a.b=value in an object that has this field. */
  assign(target: Record<string, unknown>, assignment: string): void {
    const [path = "", text = ""] = assignment.split("=");
    const names = path.split(".");
    const last = names.pop() ?? "";
    let object = target;
    for (const name of names) object = (object[name] ?? {}) as Record<string, unknown>;
    const old = object[last];
    if (typeof old === "number") object[last] = this.number(text);
    else if (typeof old === "boolean") object[last] = text === "true";
    else if (typeof old === "string") object[last] = text;
    else this.fail("a field of WorldConfig", assignment);
  }

  /** Words "name=value" and plain flags after the positional ones. */
  #options(words: readonly string[]): { think: number; cpu: number; inode: number; sync: boolean } {
    const options = { think: 0, cpu: 0, inode: 0, sync: false };
    for (const word of words) {
      if (word === "sync") options.sync = true;
      else this.assign(options, word);
    }
    return options;
  }
  #touches(words: readonly string[]): { touches: [Access, number][]; rest: string[] } {
    const touches: [Access, number][] = [];
    let kind: Access | undefined;
    let i = 0;
    for (; i < words.length; i++) {
      const word = words[i] as string;
      if (word in KINDS) kind = KINDS[word];
      else if (/^[0-9]/.test(word) && kind !== undefined) {
        for (const block of this.blocks(word)) touches.push([kind, block]);
      } else break;
    }
    return { touches, rest: words.slice(i) };
  }
  step(words: readonly string[]): Step {
    const [op, first, ...others] = words;
    if (op === "handle") {
      const credits = this.number(first);
      const { touches, rest } = this.#touches(others);
      const { think, cpu, inode, sync } = this.#options(rest);
      return (sink) => {
        sink.handle(credits, think, cpu, inode, sync ? HandleFlag.Sync : HandleFlag.None);
        for (const [kind, block] of touches) sink.access(kind, block);
      };
    }
    if (op === "data") {
      const [, at, , credits, ...accesses] = others;
      const { touches } = this.#touches(accesses);
      const [pages, block, needed] = [first, at, credits].map((text) => this.number(text));
      return (sink) => {
        sink.data(pages ?? 0, block ?? 0, needed ?? 0, 0);
        for (const [kind, b] of touches) sink.allocAccess(kind, b);
      };
    }
    const rest = op === "sync" && first !== undefined ? [first, ...others] : others;
    const { think } = this.#options(rest);
    if (op === "sync") return (sink) => sink.sync(think);
    const value = this.number(first);
    if (op === "fsync") return (sink) => sink.fsync(value, think);
    if (op === "iteration") return (sink) => sink.iteration(value);
    return this.fail("handle, data, fsync, sync or iteration", op ?? "");
  }
}

function workloadOf(name: string, threads: readonly Step[][]): Workload {
  return {
    name,
    threads: threads.length,
    fill(thread, sink) {
      for (const step of threads[thread] ?? []) step(sink);
      sink.end();
    },
  };
}

/** Reads a scenario; an error names file, line, what was expected and what was found. */
export function parseScenario(file: string, text: string): Scenario {
  const lines = text.split("\n");
  const end = lines.findIndex((line) => line.trim() === "trace");
  const parser = new Parser(file);
  if (end < 0) parser.fail('a line "trace"', "none");
  const config = structuredClone(BASE) as WorldConfig & Record<string, unknown>;
  const threads: Step[][] = [];
  const title: string[] = [];
  let show: string[] = [];
  let policy: keyof typeof POLICIES | undefined;
  lines.slice(0, end).forEach((line, i) => {
    parser.at(i + 1);
    const [word = "", ...rest] = line.trim().split(/\s+/);
    if (word.startsWith("#")) title.push(rest.join(" "));
    else if (word === "world") for (const assignment of rest) parser.assign(config, assignment);
    else if (word === "show") show = [...show, ...rest];
    else if (word === "thread") threads.push([]);
    else if (word === "policy") {
      const name = rest[0] ?? "";
      if (!(name in POLICIES)) parser.fail(Object.keys(POLICIES).join(" | "), name);
      policy = name as keyof typeof POLICIES;
    } else if (word !== "") {
      threads.at(-1)?.push(parser.step([word, ...rest]));
    }
  });
  config.threads = threads.length;
  return {
    title: title[0] ?? file,
    config,
    show,
    head: lines.slice(0, end + 1).join("\n"),
    trace: lines.slice(end + 1).filter((line) => line !== ""),
    workload: () => workloadOf(file, threads),
    driver: () =>
      policy === undefined ? undefined : POLICIES[policy]?.({ ...MAINLINE, ...config.policy }),
  };
}
