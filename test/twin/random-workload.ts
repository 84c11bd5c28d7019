// Random synthetic workloads: hot, warm and cold blocks, file data, fsync, sync, revokes, barriers.
import { Access, HandleFlag, type HandleSink, type Workload } from "@jbdlab/core-wasm";
import { Random } from "./random.js";

/** What the handles of one workload are like; percentages. */
interface Traits {
  readonly handles: number;
  readonly accesses: number;
  readonly hotBlocks: number;
  readonly warmBlocks: number;
  readonly forget: number;
  readonly forgetsOnce: boolean;
  readonly data: number;
  readonly fsync: number;
  readonly syncHandle: number;
  readonly sync: number;
  readonly perIteration: number;
  readonly thinkNs: number;
  readonly cpuNs: number;
}

function randomTraits(random: Random, room: number): Traits {
  return {
    handles: random.pick([30, 80, 150, 250]),
    accesses: Math.min(random.pick([2, 4, 8, 20]), room),
    hotBlocks: random.pick([1, 3, 10]),
    warmBlocks: random.pick([4, 20, 80]),
    forget: random.pick([0, 0, 0, 10, 30]),
    forgetsOnce: false,
    data: random.pick([0, 0, 20, 60]),
    fsync: random.pick([0, 0, 0, 2, 15]),
    syncHandle: random.pick([0, 0, 0, 1, 10]),
    sync: random.pick([0, 0, 0, 1]),
    perIteration: random.pick([0, 0, 25, 70]),
    thinkNs: random.pick([0, 3000, 25_000, 400_000]),
    cpuNs: random.pick([0, 4000, 20_000]),
  };
}

class Thread {
  readonly #random: Random;
  readonly #traits: Traits;
  readonly #thread: number;
  readonly #room: number;
  #done = 0;
  /** Next block never touched, last block freed for good. */
  #cold: number;
  #freed: number;
  #inode: number;

  constructor(seed: number, thread: number, traits: Traits, room: number) {
    this.#random = new Random(seed + 977 * (thread + 1));
    this.#traits = traits;
    this.#thread = thread;
    this.#room = room;
    this.#cold = 10_000 + 100_000 * thread;
    this.#freed = this.#cold - 1;
    this.#inode = 1 + 1000 * thread;
  }
  #block(): number {
    const { hotBlocks, warmBlocks } = this.#traits;
    const kind = this.#random.whole(0, 9);
    if (kind < 3) return this.#random.whole(1, hotBlocks);
    if (kind < 6) return 100 + this.#random.whole(0, warmBlocks);
    return this.#cold++;
  }
  #access(sink: HandleSink): void {
    const random = this.#random;
    const draw = random.whole(0, 99);
    const { forget, forgetsOnce } = this.#traits;
    if (forgetsOnce) {
      const first = this.#freed + 1;
      if (draw < forget && first < this.#cold) {
        this.#freed = first;
        sink.access(Access.Forget, first);
      } else {
        sink.access(Access.Write, this.#block());
      }
      return;
    }
    // Mostly blocks of its own; now and then one that others may hold.
    const own = this.#cold - random.whole(1, 30);
    if (draw < forget) {
      sink.access(Access.Forget, random.chance(90) ? own : this.#block());
    } else if (draw < 2 * forget) {
      sink.access(Access.Create, own);
    } else {
      sink.access(random.pick([Access.Write, Access.Write, Access.Create]), this.#block());
    }
  }
  #handle(sink: HandleSink): void {
    const random = this.#random;
    const { accesses, data, thinkNs, cpuNs, syncHandle } = this.#traits;
    const count = random.whole(1, accesses);
    const credits = Math.min(count + random.whole(0, 12), this.#room);
    if (random.chance(15)) this.#inode++;
    const flags = random.chance(syncHandle) ? HandleFlag.Sync : HandleFlag.None;
    const think = random.whole(0, 2 * thinkNs);
    sink.handle(credits, think, random.whole(0, 2 * cpuNs), this.#inode, flags);
    for (let i = 0; i < count; i++) this.#access(sink);
    if (!random.chance(data)) return;
    const touches = random.whole(1, Math.min(3, this.#room));
    const dataBlock = 2 ** 27 + this.#inode * 64;
    sink.data(random.whole(1, 6), dataBlock, touches, random.whole(0, cpuNs));
    for (let i = 0; i < touches; i++) sink.allocAccess(Access.Write, this.#block());
  }
  fill(sink: HandleSink): void {
    const random = this.#random;
    const { handles, fsync, sync, perIteration } = this.#traits;
    while (!sink.full) {
      if (this.#done === handles) {
        sink.end();
        return;
      }
      this.#handle(sink);
      this.#done++;
      if (random.chance(fsync)) sink.fsync(this.#inode - random.whole(0, 1), random.whole(0, 5000));
      if (random.chance(sync)) sink.sync(random.whole(0, 5000));
      if (perIteration > 0 && this.#done % perIteration === 0) {
        sink.iteration(perIteration + this.#thread);
      }
    }
  }
}

/** How far a workload goes. */
export interface Extent {
  /** Credits that fit into an empty transaction. */
  readonly room: number;
  /** Freed blocks: none, each freed once and never touched again, or freed and taken at will. */
  readonly forgets: "none" | "once" | "any";
  /** sync() is called. */
  readonly syncs: boolean;
}

export function randomWorkload(seed: number, threads: number, extent: Extent): Workload {
  const drawn = randomTraits(new Random(seed), extent.room);
  const traits: Traits = {
    ...drawn,
    forget: extent.forgets === "none" ? 0 : drawn.forget,
    forgetsOnce: extent.forgets === "once",
    sync: extent.syncs ? drawn.sync : 0,
  };
  const all = Array.from({ length: threads }, (_, t) => new Thread(seed, t, traits, extent.room));
  return { name: "random", threads, fill: (thread, sink) => all[thread]?.fill(sink) };
}
