// The only file that knows the core's exports and memory.
import { readFile } from "node:fs/promises";
import { instantiateSync } from "@assemblyscript/loader";

export interface CoreExports {
  memory: WebAssembly.Memory;
  reset(): number;
  runUntilReason(): number;
  feed(words: number): void;
  setStopAfter(handles: number): void;
  setTracing(on: boolean): void;
  traceTaken(): void;
  traced(): number;
  traceAt: WebAssembly.Global;
  answerDropClean(skip: boolean, budget: number): void;
  answerRequestCommit(): void;
  answerWriteHome(buffers: number): void;
  answerCheckpointOldest(whileBelow: number): void;
  answerMoveTail(minFreed: number): void;
  answerArmFreeBelow(blocks: number): void;
  answerArmTick(ns: number): void;
  answerDelayHandles(ns: number): void;
  fillView(): void;
  fillOldest(): void;
  configAt: WebAssembly.Global;
  statsAt: WebAssembly.Global;
  viewAt: WebAssembly.Global;
  windowsAt: WebAssembly.Global;
  samplesAt: WebAssembly.Global;
  recordsAt: WebAssembly.Global;
  errorCode(): number;
  errorArgument(): number;
  hungryThread(): number;
  simulatedNs(): number;
  maximumTransaction(): number;
  digestLow(): number;
  digestHigh(): number;
  violationKind(): number;
  violationAt(): number;
  windowsOpen(): number;
  buffersAlive(): number;
}

export const Reason = { NeedHandles: 0, Decision: 1, Done: 2, Trap: 3, Trace: 4 } as const;

/** Words of one thread's batch of records. */
export const RECORD_WORDS = 8192;
/** Doubles of one loss window, of one iteration sample. */
export const WINDOW_DOUBLES = 6;
export const SAMPLE_DOUBLES = 3;
export const MAX_WINDOWS = 64;
export const MAX_SAMPLES = 4096;

/**
 * Compiles the core once; the module can be sent to workers by structured clone. `build` chooses
 * the optimised build or the one with asserts and the audit after every event.
 */
export async function loadCore(
  build: "release" | "debug" = "release",
): Promise<WebAssembly.Module> {
  const file = new URL(`../build/${build}.wasm`, import.meta.url);
  return WebAssembly.compile(await readFile(file));
}

/** One instance of the core with views of its memory that follow its growth. */
export class Core {
  readonly exports: CoreExports;
  #buffer: ArrayBuffer | undefined;
  #doubles = new Float64Array(0);
  #words = new Uint32Array(0);

  constructor(module: WebAssembly.Module) {
    this.exports = instantiateSync<CoreExports & Record<string, unknown>>(module, {})
      .exports as unknown as CoreExports;
  }
  #refresh(): void {
    const buffer = this.exports.memory.buffer as ArrayBuffer;
    if (buffer === this.#buffer) return;
    this.#buffer = buffer;
    this.#doubles = new Float64Array(buffer);
    this.#words = new Uint32Array(buffer);
  }
  /** Doubles at one of the exported addresses. */
  doubles(at: WebAssembly.Global, length: number): Float64Array {
    this.#refresh();
    const from = (at.value as number) >>> 3;
    return this.#doubles.subarray(from, from + length);
  }
  /** Words at one of the exported addresses. */
  words(at: WebAssembly.Global, length: number): Uint32Array {
    this.#refresh();
    const from = (at.value as number) >>> 2;
    return this.#words.subarray(from, from + length);
  }
  /** The batch of records of a thread. */
  records(thread: number): Uint32Array {
    this.#refresh();
    const from = ((this.exports.recordsAt.value as number) >>> 2) + thread * RECORD_WORDS;
    return this.#words.subarray(from, from + RECORD_WORDS);
  }
  /** Exported globals name the slots: ST_* counters, CFG_* parameters. */
  #slot(name: string): number {
    const global = (this.exports as unknown as Record<string, WebAssembly.Global | undefined>)[
      name
    ];
    if (global === undefined) throw new Error(`the core exports no ${name}`);
    return global.value as number;
  }
  setConfig(name: `CFG_${string}`, value: number): void {
    this.doubles(this.exports.configAt, 256)[this.#slot(name)] = value;
  }
  stat(name: `ST_${string}`, offset = 0): number {
    return this.doubles(this.exports.statsAt, 4096)[this.#slot(name) + offset] ?? 0;
  }
}
