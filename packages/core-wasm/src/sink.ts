import type { Access, HandleSink } from "./contract.js";
import { CoreError } from "./errors.js";
import { RECORD_WORDS } from "./wasm.js";

// Records, u32 words, as assembly/workload.ts reads them:
//   handle    1 | flags << 4 | accesses << 8 | data << 24, credits, thinkNs, cpuNs, inode,
//             accesses (kind << 29 | block); with data: blocks, dataBlock, credits, cpuNs,
//             number of accesses of the allocation handle, those accesses
//   fsync     2, inode, thinkNs      sync 3, thinkNs      iteration 4, files      end 5
const HANDLE = 1;
const FSYNC = 2;
const SYNC = 3;
const ITERATION = 4;
const END = 5;

const MAX_ACCESSES = 4096;
const MAX_ALLOC = 8;
/** A fill stops here, so that the largest handle still fits. */
const FULL = RECORD_WORDS - MAX_ACCESSES - 64;

function refuse(what: string, expected: string, value: number): never {
  throw new CoreError("workload", `${what}: expected ${expected}, found ${value}`);
}

/** Writes records into one thread's batch. */
export class RecordSink implements HandleSink {
  #words: Uint32Array = new Uint32Array(0);
  #at = 0;
  #head = -1; // word of the open handle, -1 = none
  #accesses = 0;
  #data = -1; // word that counts the allocation handle's accesses, -1 = none
  ended = false;
  timeNs = 0;

  /** Starts a batch. */
  begin(words: Uint32Array, timeNs: number): void {
    this.timeNs = timeNs;
    this.#words = words;
    this.#at = 0;
    this.#head = -1;
    this.#data = -1;
  }
  /** Closes the batch; returns its words. */
  finish(): number {
    this.#close();
    return this.#at;
  }
  get full(): boolean {
    return this.ended || this.#at > FULL;
  }

  #close(): void {
    if (this.#head < 0) return;
    this.#words[this.#head] = (this.#words[this.#head] ?? 0) | (this.#accesses << 8);
    this.#head = -1;
    this.#data = -1;
  }
  #begin(): void {
    this.#close();
    if (this.ended) throw new CoreError("workload", "a record after end()");
    if (this.#at > FULL + MAX_ACCESSES)
      throw new CoreError("workload", "records after full was true");
  }

  handle(credits: number, thinkNs: number, cpuNs: number, inode: number, flags: number): void {
    this.#begin();
    if (!(credits >= 1 && credits <= 0x7fffffff)) refuse("credits", "1 or more", credits);
    const words = this.#words;
    const at = this.#at;
    this.#head = at;
    this.#accesses = 0;
    words[at] = HANDLE | (flags << 4);
    words[at + 1] = credits;
    words[at + 2] = thinkNs;
    words[at + 3] = cpuNs;
    words[at + 4] = inode;
    this.#at = at + 5;
  }
  access(kind: Access, block: number): void {
    if (block < 0 || block > 0x1fffffff) refuse("block", "0 to 2^29-1", block);
    if (++this.#accesses > MAX_ACCESSES)
      refuse("accesses", `at most ${MAX_ACCESSES}`, this.#accesses);
    this.#words[this.#at++] = (kind << 29) | block;
  }
  data(blocks: number, dataBlock: number, credits: number, cpuNs: number): void {
    if (this.#head < 0) throw new CoreError("workload", "data() without a handle");
    if (!(blocks >= 1)) refuse("data blocks", "1 or more", blocks);
    const words = this.#words;
    const at = this.#at;
    words[this.#head] = (words[this.#head] ?? 0) | (1 << 24);
    words[at] = blocks;
    words[at + 1] = dataBlock;
    words[at + 2] = credits;
    words[at + 3] = cpuNs;
    words[at + 4] = 0;
    this.#data = at + 4;
    this.#at = at + 5;
  }
  allocAccess(kind: Access, block: number): void {
    if (this.#data < 0) throw new CoreError("workload", "allocAccess() without data()");
    const n = (this.#words[this.#data] ?? 0) + 1;
    if (n > MAX_ALLOC) refuse("accesses of an allocation handle", `at most ${MAX_ALLOC}`, n);
    this.#words[this.#data] = n;
    this.#words[this.#at++] = (kind << 29) | block;
  }
  fsync(inode: number, thinkNs: number): void {
    this.#begin();
    this.#put(FSYNC, inode);
    this.#words[this.#at++] = thinkNs;
  }
  sync(thinkNs: number): void {
    this.#begin();
    this.#put(SYNC, thinkNs);
  }
  iteration(files: number): void {
    this.#begin();
    this.#put(ITERATION, files);
  }
  end(): void {
    this.#begin();
    this.#words[this.#at++] = END;
    this.ended = true;
  }
  #put(op: number, value: number): void {
    this.#words[this.#at++] = op;
    this.#words[this.#at++] = value;
  }
}
