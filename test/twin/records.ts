import type { Access, HandleSink, Workload } from "@jbdlab/core-wasm";
import type { Clock } from "./clock.js";
import type { DataPlan } from "./pages.js";
import { type Touch, TwinError } from "./state.js";

export interface HandleRecord {
  readonly op: "handle";
  readonly credits: number;
  readonly thinkNs: number;
  readonly cpuNs: number;
  readonly inode: number;
  readonly flags: number;
  readonly touches: Touch[];
  data: (DataPlan & { readonly touches: Touch[] }) | undefined;
}
export type Entry =
  | HandleRecord
  | { readonly op: "fsync"; readonly inode: number; readonly thinkNs: number }
  | { readonly op: "sync"; readonly thinkNs: number }
  | { readonly op: "iteration"; readonly files: number }
  | { readonly op: "end" };

/**
 * A fill is full after this many words of the core's record format (handle 5, access 1, data 5,
 * fsync 3, other 2): generators that share state among threads see the same order of fills.
 */
const FULL_WORDS = 8192 - 4096 - 64;

/** Collects one thread's records. */
class Sink implements HandleSink {
  entries: Entry[] = [];
  ended = false;
  timeNs = 0;
  #words = 0;
  #last: HandleRecord | undefined;

  begin(timeNs: number): void {
    this.timeNs = timeNs;
    this.#words = 0;
    this.#last = undefined;
    this.entries = [];
  }
  get full(): boolean {
    return this.ended || this.#words > FULL_WORDS;
  }
  #add(entry: Entry, words: number): void {
    this.entries.push(entry);
    this.#words += words;
    this.#last = entry.op === "handle" ? entry : undefined;
  }
  handle(credits: number, thinkNs: number, cpuNs: number, inode: number, flags: number): void {
    const times = { thinkNs: Math.trunc(thinkNs), cpuNs: Math.trunc(cpuNs) };
    const rest = { credits, inode, flags, touches: [], data: undefined };
    this.#add({ op: "handle", ...times, ...rest }, 5);
  }
  access(kind: Access, block: number): void {
    this.#last?.touches.push({ kind, block });
    this.#words++;
  }
  data(blocks: number, dataBlock: number, credits: number, cpuNs: number): void {
    if (this.#last === undefined) throw new TwinError("workload", "data() without a handle");
    this.#last.data = { blocks, dataBlock, credits, cpuNs: Math.trunc(cpuNs), touches: [] };
    this.#words += 5;
  }
  allocAccess(kind: Access, block: number): void {
    this.#last?.data?.touches.push({ kind, block });
    this.#words++;
  }
  fsync(inode: number, thinkNs: number): void {
    this.#add({ op: "fsync", inode, thinkNs: Math.trunc(thinkNs) }, 3);
  }
  sync(thinkNs: number): void {
    this.#add({ op: "sync", thinkNs: Math.trunc(thinkNs) }, 2);
  }
  iteration(files: number): void {
    this.#add({ op: "iteration", files }, 2);
  }
  end(): void {
    this.#add({ op: "end" }, 1);
    this.ended = true;
  }
}

/** The workload's records of all threads, taken one by one. */
export class Records {
  readonly #clock: Clock;
  readonly #workload: Workload;
  readonly #threads: { sink: Sink; next: number }[];

  constructor(workload: Workload, clock: Clock) {
    this.#clock = clock;
    this.#workload = workload;
    this.#threads = Array.from({ length: workload.threads }, () => ({ sink: new Sink(), next: 0 }));
  }
  next(thread: number): Entry {
    const state = this.#threads[thread];
    if (state === undefined) throw new TwinError("workload", `no thread ${thread}`);
    if (state.next === state.sink.entries.length) {
      state.sink.begin(this.#clock.now);
      state.next = 0;
      this.#workload.fill(thread, state.sink);
    }
    const entry = state.sink.entries[state.next++];
    if (entry === undefined) throw new TwinError("workload", `thread ${thread}: an empty fill`);
    return entry;
  }
  get complete(): boolean {
    return this.#threads.every(({ sink }) => sink.ended);
  }
}
