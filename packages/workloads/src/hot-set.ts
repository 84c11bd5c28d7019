import { Access, HandleFlag, type HandleSink } from "@jbdlab/core-wasm";
import { WorkloadError } from "./error.js";
import { Task } from "./ext4/task.js";
import { cpuParameters, type Lane, laneWorkload, threadsParameter } from "./lanes.js";
import { Random } from "./random.js";
import { defineWorkload } from "./workload.js";

class HotSetLane implements Lane {
  readonly units: number;
  readonly #blocks: Int32Array;
  readonly #touches: number;
  readonly #cold: number;
  readonly #fresh: { next: number; readonly from: number; readonly to: number };
  readonly #cpuNs: number;
  readonly #inode: number;
  unitsLeft: number;
  #at: number;

  constructor(
    readonly task: Task,
    blocks: Int32Array,
    fresh: { next: number; readonly from: number; readonly to: number },
    values: { handles: number; touches: number; cold: number; cpuNs: number },
    start: number,
    inode: number,
  ) {
    this.#blocks = blocks;
    this.#touches = values.touches;
    this.#cold = values.cold;
    this.#fresh = fresh;
    this.#cpuNs = values.cpuNs;
    this.#inode = inode;
    this.unitsLeft = values.handles;
    this.units = values.handles;
    this.#at = start;
  }

  step(sink: HandleSink): boolean {
    if (this.unitsLeft === 0) {
      return false;
    }
    this.unitsLeft--;
    const { task } = this;
    const half = this.#cpuNs / 2;
    const think = task.think(half);
    sink.handle(
      this.#touches + this.#cold + 1,
      think,
      task.body(half),
      this.#inode,
      HandleFlag.None,
    );
    for (let i = 0; i < this.#touches; i++) {
      sink.access(Access.Write, this.#blocks[this.#at]!);
      this.#at = this.#at + 1 === this.#blocks.length ? 0 : this.#at + 1;
    }
    for (let i = 0; i < this.#cold; i++) {
      sink.access(Access.Write, this.#fresh.next);
      this.#fresh.next =
        this.#fresh.next + 1 === this.#fresh.to ? this.#fresh.from : this.#fresh.next + 1;
    }
    return true;
  }
}

export const hotSet = defineWorkload({
  name: "hot-set",
  summary: "changes the same blocks over and over, so that every transaction rejoins them",
  doc: {
    idea:
      "Every handle changes the next `touches` blocks of a small set, round and round, and " +
      "`cold` new blocks, which " +
      "fill the transaction: the set is changed again in each transaction, the worst case for a " +
      "cleanup that stops " +
      "at rejoined buffers.",
    source:
      "the report's suspicion in its purest form; real neighbours are quota files, bitmaps and " +
      "hot inodes",
    blocks:
      "`touches` of `blocks` blocks in a shuffled order, then `cold` blocks in ascending order; " +
      "all threads share both",
    seedVaries: "the order of the blocks, where each thread starts, the jitter of thinking times",
  },
  parameters: {
    handles: {
      kind: "integer",
      default: 200_000,
      min: 1,
      max: 1_000_000_000,
      unit: "handles per thread",
      help: "handles each thread runs",
    },
    blocks: {
      kind: "integer",
      default: 256,
      min: 1,
      max: 1_000_000,
      unit: "blocks",
      help: "size of the set; below a maximum transaction every block is in each of them",
    },
    touches: {
      kind: "integer",
      default: 8,
      min: 1,
      max: 256,
      unit: "blocks",
      help: "blocks each handle changes",
    },
    cpuNs: {
      kind: "integer",
      default: 20_000,
      min: 0,
      max: 1_000_000_000,
      unit: "ns on the reference machine",
      help: "CPU time per handle, half of it inside",
    },
    cold: {
      kind: "integer",
      default: 1,
      min: 0,
      max: 256,
      unit: "blocks",
      help: "blocks not used before that each handle changes too; they fill the transactions",
    },
    threads: threadsParameter,
    ...cpuParameters,
  },
  work: "handles",
  create(values, context) {
    const { geometry, seed } = context;
    const first = geometry.inodeTable(geometry.firstGroup);
    if (first + values.blocks >= geometry.blocks) {
      throw new WorkloadError(
        "hot-set",
        `workload hot-set: ${values.blocks} blocks do not fit behind block ${first}`,
      );
    }
    const random = new Random(seed, 0);
    const blocks = Int32Array.from({ length: values.blocks }, (_, i) => first + i);
    for (let i = blocks.length - 1; i > 0; i--) {
      const j = random.below(i + 1);
      [blocks[i], blocks[j]] = [blocks[j]!, blocks[i]!];
    }
    const from = first + values.blocks;
    const fresh = { next: from, from, to: geometry.blocks };
    const lanes = Array.from({ length: context.threads ?? values.threads }, (_, thread) => {
      const task = new Task(seed, thread, values.cpuScale, values.thinkJitter);
      return new HotSetLane(task, blocks, fresh, values, random.below(blocks.length), thread + 1);
    });
    return laneWorkload("hot-set", lanes);
  },
});
