import type { Access, HandleSink, Workload } from "@jbdlab/core-wasm";

/** A handle as written, with its accesses as "kind:block". */
export interface WrittenHandle {
  readonly credits: number;
  readonly thinkNs: number;
  readonly cpuNs: number;
  readonly inode: number;
  readonly flags: number;
  readonly accesses: { kind: Access; block: number }[];
  data?: { blocks: number; dataBlock: number; credits: number; cpuNs: number };
  readonly allocation: { kind: Access; block: number }[];
}

export type Written =
  | ({ readonly record: "handle" } & WrittenHandle)
  | { readonly record: "fsync"; readonly inode: number; readonly thinkNs: number }
  | { readonly record: "sync"; readonly thinkNs: number }
  | { readonly record: "iteration"; readonly files: number }
  | { readonly record: "end" };

/** Keeps every record; refuses what the core would refuse. */
export class TestSink implements HandleSink {
  timeNs = 0;
  readonly records: Written[] = [];
  ended = false;
  #room = 0;
  #open: WrittenHandle | undefined;

  /** Allows `records` records until `full`. */
  begin(records: number): void {
    this.#room = this.records.length + records;
    this.#open = undefined;
  }
  get full(): boolean {
    return this.ended || this.records.length >= this.#room;
  }
  #push(record: Written): void {
    if (this.ended) throw new Error("a record after end()");
    this.records.push(record);
  }
  handle(credits: number, thinkNs: number, cpuNs: number, inode: number, flags: number): void {
    whole("credits", credits, 1);
    whole("thinkNs", thinkNs, 0);
    whole("cpuNs", cpuNs, 0);
    whole("inode", inode, 0);
    const handle: Written = {
      record: "handle",
      credits,
      thinkNs,
      cpuNs,
      inode,
      flags,
      accesses: [],
      allocation: [],
    };
    this.#push(handle);
    this.#open = handle;
  }
  access(kind: Access, block: number): void {
    whole("block", block, 0);
    this.#open!.accesses.push({ kind, block });
  }
  data(blocks: number, dataBlock: number, credits: number, cpuNs: number): void {
    whole("data blocks", blocks, 1);
    whole("data block", dataBlock, 0);
    whole("credits", credits, 1);
    whole("cpuNs", cpuNs, 0);
    if (this.#open!.data !== undefined) throw new Error("data() twice");
    this.#open!.data = { blocks, dataBlock, credits, cpuNs };
  }
  allocAccess(kind: Access, block: number): void {
    whole("block", block, 0);
    if (this.#open!.allocation.length === 8) throw new Error("more than 8 allocation accesses");
    this.#open!.allocation.push({ kind, block });
  }
  fsync(inode: number, thinkNs: number): void {
    whole("inode", inode, 1);
    whole("thinkNs", thinkNs, 0);
    this.#push({ record: "fsync", inode, thinkNs });
  }
  sync(thinkNs: number): void {
    whole("thinkNs", thinkNs, 0);
    this.#push({ record: "sync", thinkNs });
  }
  iteration(files: number): void {
    this.#push({ record: "iteration", files });
  }
  end(): void {
    this.#push({ record: "end" });
    this.ended = true;
  }
}

function whole(what: string, value: number, least: number): void {
  if (!(Number.isInteger(value) && value >= least && value < 2 ** 32)) {
    throw new Error(`${what}: ${value}`);
  }
}

/** All records of each thread; fills of `records` records in turn. */
export function writeAll(workload: Workload, records = 100): Written[][] {
  const sinks = Array.from({ length: workload.threads }, () => new TestSink());
  while (!sinks.every((sink) => sink.ended)) {
    for (const [thread, sink] of sinks.entries()) {
      if (sink.ended) continue;
      sink.begin(records);
      const before = sink.records.length;
      workload.fill(thread, sink);
      if (sink.records.length === before) throw new Error("a fill without a record");
    }
  }
  return sinks.map((sink) => sink.records);
}

export function handlesOf(records: readonly Written[]): WrittenHandle[] {
  return records.filter((record) => record.record === "handle");
}
