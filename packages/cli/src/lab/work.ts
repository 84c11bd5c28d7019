import type { HandleSink, Workload } from "@jbdlab/core-wasm";

/** How much a workload does. */
export interface Work {
  readonly handles: number;
  readonly accesses: number;
  /** Blocks of file data. */
  readonly dataBlocks: number;
}

const RECORDS_PER_FILL = 1024;

/** Counts what is written into it. */
class CountingSink implements HandleSink {
  readonly timeNs = 0;
  handles = 0;
  accesses = 0;
  dataBlocks = 0;
  ended = false;
  #records = 0;

  begin(): void {
    this.#records = 0;
  }
  get full(): boolean {
    return this.ended || this.#records >= RECORDS_PER_FILL;
  }
  handle(): void {
    this.handles++;
    this.#records++;
  }
  access(): void {
    this.accesses++;
  }
  data(blocks: number): void {
    this.dataBlocks += blocks;
  }
  allocAccess(): void {
    this.accesses++;
  }
  fsync(): void {
    this.#records++;
  }
  sync(): void {
    this.#records++;
  }
  iteration(): void {
    this.#records++;
  }
  end(): void {
    this.ended = true;
  }
}

/** Runs a workload without a world to see how much it does; the workload is used up. */
export function measureWork(workload: Workload): Work {
  const sinks = Array.from({ length: workload.threads }, () => new CountingSink());
  while (!sinks.every((sink) => sink.ended)) {
    for (const [thread, sink] of sinks.entries()) {
      if (sink.ended) continue;
      sink.begin();
      workload.fill(thread, sink);
    }
  }
  const sum = (of: (sink: CountingSink) => number) => sinks.reduce((total, s) => total + of(s), 0);
  return {
    handles: sum((sink) => sink.handles),
    accesses: sum((sink) => sink.accesses),
    dataBlocks: sum((sink) => sink.dataBlocks),
  };
}
