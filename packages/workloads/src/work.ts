import type { Access, HandleSink, Workload } from "@jbdlab/core-wasm";
import { type WorkloadSpec, workloadSpec } from "./registry.js";
import type { WorkloadContext } from "./workload.js";

/** How much a workload does, counted without a world. */
export interface WorkMeasure {
  readonly handles: number;
  readonly accesses: number;
  /** Blocks of file data. */
  readonly dataBlocks: number;
  /**
   * Blocks it writes to the log at least: distinct blocks, descriptors and commit record of each
   * transaction, when transactions are closed by size and by fsync only (the commit timer and
   * delayed allocation add to it).
   */
  readonly loggedBlocks: number;
  readonly transactions: number;
}

const RECORDS_PER_FILL = 64;
/** Credits a transaction keeps for its descriptors: 1 + ceil(maximum / tags per descriptor). */
const TAGS_PER_DESCRIPTOR = 253;

/**
 * Distinct blocks of the running transaction: open addressing, emptied by counting up the epoch.
 */
class BlockSet {
  size = 0;
  #keys = new Int32Array(4096);
  #epochs = new Int32Array(4096);
  #epoch = 1;

  clear(): void {
    this.#epoch++;
    this.size = 0;
  }

  add(block: number): void {
    const mask = this.#keys.length - 1;
    let at = (Math.imul(block, 0x9e3779b1) >>> 7) & mask;
    while (this.#epochs[at] === this.#epoch) {
      if (this.#keys[at] === block) {
        return;
      }
      at = (at + 1) & mask;
    }
    this.#keys[at] = block;
    this.#epochs[at] = this.#epoch;
    this.size++;
    if (this.size * 2 > mask) {
      this.#grow();
    }
  }

  #grow(): void {
    const keys = this.#keys;
    const epochs = this.#epochs;
    this.#keys = new Int32Array(keys.length * 2);
    this.#epochs = new Int32Array(keys.length * 2);
    this.size = 0;
    for (let i = 0; i < keys.length; i++) {
      if (epochs[i] === this.#epoch) {
        this.add(keys[i]!);
      }
    }
  }
}

/** Takes all threads' records into one line of transactions. */
class MeasuringSink implements HandleSink {
  readonly timeNs = 0;
  handles = 0;
  accesses = 0;
  dataBlocks = 0;
  loggedBlocks = 0;
  transactions = 0;
  ended = false;
  #records = 0;
  #fsyncs = 0;
  readonly #blocks = new BlockSet();
  readonly #room: number;
  readonly #fsyncsPerCommit: number;

  constructor(maxTransaction: number, threads: number) {
    this.#room = maxTransaction - 1 - Math.ceil(maxTransaction / TAGS_PER_DESCRIPTOR);
    this.#fsyncsPerCommit = threads;
  }

  begin(): void {
    this.#records = 0;
    this.ended = false;
  }
  get full(): boolean {
    return this.ended || this.#records >= RECORDS_PER_FILL;
  }
  handle(credits: number): void {
    this.handles++;
    this.#records++;
    if (this.#blocks.size + credits > this.#room) {
      this.commit();
    }
  }
  access(_kind: Access, block: number): void {
    this.accesses++;
    this.#blocks.add(block);
  }
  data(blocks: number): void {
    this.dataBlocks += blocks;
  }
  allocAccess(): void {
    this.accesses++;
  }
  /** At best all threads share a commit. */
  fsync(): void {
    this.#records++;
    this.#fsyncs++;
    if (this.#fsyncs >= this.#fsyncsPerCommit) {
      this.commit();
    }
  }
  sync(): void {
    this.#records++;
    this.commit();
  }
  iteration(): void {
    this.#records++;
  }
  end(): void {
    this.ended = true;
  }
  commit(): void {
    this.#fsyncs = 0;
    if (this.#blocks.size > 0) {
      const descriptors = Math.ceil(this.#blocks.size / TAGS_PER_DESCRIPTOR);
      this.loggedBlocks += this.#blocks.size + descriptors + 1;
      this.transactions++;
      this.#blocks.clear();
    }
  }
}

/** Runs a workload without a world; it is used up. maxTransaction: blocks. */
export function measureWork(workload: Workload, maxTransaction: number): WorkMeasure {
  return run(workload, maxTransaction, () => false);
}

/** As `measureWork`, until `enough` says so after a fill. */
function run(
  workload: Workload,
  maxTransaction: number,
  enough: (sink: MeasuringSink) => boolean,
): WorkMeasure {
  const sink = new MeasuringSink(maxTransaction, workload.threads);
  const over = Array.from({ length: workload.threads }, () => false);
  for (let thread = 0; over.includes(false) && !enough(sink); ) {
    if (!over[thread]) {
      sink.begin();
      workload.fill(thread, sink);
      over[thread] = sink.ended;
    }
    thread = (thread + 1) % over.length;
  }
  sink.commit();
  const { handles, accesses, dataBlocks, loggedBlocks, transactions } = sink;
  return { handles, accesses, dataBlocks, loggedBlocks, transactions };
}

/** Each attempt does this much more than the last, until the log has been filled often enough. */
const GROWTH = 4;

/**
 * A spec whose work parameter is set so that a log of `context.journalBlocks` blocks is filled at
 * least `wraps` times (or as often as the file system has room for), and what it does. A spec from
 * a file, which repeats by itself, and one whose text fixes the work come back as they are.
 * Measures by running the generator up to there and through the unit it has begun (the measure is
 * right to within a fill): some ms for a small log, about two seconds for fsmark and 256 MiB.
 */
export function scaleToWraps(
  spec: WorkloadSpec,
  context: WorkloadContext,
  wraps: number,
): { readonly spec: WorkloadSpec; readonly measure: WorkMeasure } {
  const maxTransaction = context.maxTransactionBlocks ?? Math.floor(context.journalBlocks / 3);
  const { definition, parameters } = spec;
  if (definition === undefined || parameters === undefined || spec.fixedWork) {
    return { spec, measure: measureWork(spec.create(context), maxTransaction) };
  }
  const most = definition.mostWork(parameters, context);
  const target = wraps * context.journalBlocks;
  const withWork = (units: number) =>
    workloadSpec(definition, { ...parameters, [definition.work]: units });
  let units = Math.min(most, parameters[definition.work] as number);
  for (;;) {
    const workload = definition.create(withWork(units).parameters!, context);
    let reached = 0;
    const measure = run(workload, maxTransaction, (sink) => {
      if (reached === 0 && sink.loggedBlocks >= target) {
        reached = workload.unitsBegun;
      }
      return reached > 0 && workload.unitsBegun > reached;
    });
    if (reached > 0 || units === most) {
      return { spec: withWork(reached > 0 ? reached : units), measure };
    }
    units = Math.min(most, units * GROWTH);
  }
}
