import type { Access, HandleSink, Workload, WorldConfig } from "@jbdlab/core-wasm";
import { Random } from "./random.js";
import { MAINLINE_SETTINGS } from "./settings.js";

/** A small world in which much goes on at once, and what happens in it. */
export interface ConformanceWorld {
  /** Without a policy. */
  readonly config: WorldConfig;
  /** A new stream of the same handles. */
  workload(): Workload;
}

const MS = 1_000_000;
const WRITE: Access = 0;
const MAX_TOUCHED = 8;
const CPU = {
  handleNs: 2_000,
  logBufferNs: 1_000,
  forgetBufferNs: 300,
  scanBufferNs: 100,
  flusherPageNs: 1_000,
  checkpointWriteNs: 1_000,
  frozenCopyNs: 500,
  commitNs: 10_000,
  logIoNs: 500,
  homeIoNs: 1_000,
  conversionNs: 2_000,
};

/**
 * World number `seed` of the kit: journals of 256 to 2048 blocks that wrap several times, 1 to 4
 * threads, a hot set that every transaction rejoins, fsync, sync handles, revokes, file data,
 * a busy flusher, often memory pressure, devices with and without a cache.
 */
export function conformanceWorld(seed: number): ConformanceWorld {
  const random = new Random(seed);
  const threads = random.whole(1, 4);
  const config: WorldConfig = {
    seed,
    rule: "v4",
    journalBlocks: random.whole(256, 2048),
    maxTransactionDivisor: random.pick([3, 4] as const),
    tagsPerDescriptor: 254,
    conversionCredits: 9,
    commitIntervalNs: random.whole(20, 1000) * MS,
    threads,
    cpus: random.whole(1, 2),
    quantumNs: 750_000,
    tickNs: 4 * MS,
    cpu: CPU,
    device: randomDevice(random),
    dirtyWritebackNs: random.whole(5, 100) * MS,
    dirtyExpireNs: random.whole(0, 300) * MS,
    flusherPhaseNs: 0,
    memoryBlocks: random.whole(2_000, 50_000),
    backgroundRatio: 0.1,
    dirtyRatio: 0.2,
    shrinkIntervalNs: random.pick([0, random.whole(1, 50) * MS]),
    shrinkScan: random.whole(1, 256),
    policy: MAINLINE_SETTINGS,
    decisionMask: 0,
  };
  const handles = Math.floor((config.journalBlocks * random.whole(2, 4)) / threads);
  const mix = randomMix(random);
  return { config, workload: () => new MixedWorkload(seed, threads, handles, mix) };
}

function randomDevice(random: Random): WorldConfig["device"] {
  const disk = random.chance(0.2);
  return {
    name: "conformance",
    nsPerBlock: random.whole(1_000, 100_000),
    latencyNs: random.whole(0, 500_000),
    parallelism: random.whole(1, 32),
    queueDepth: random.whole(1, 64),
    maxRequestBlocks: random.whole(1, 128),
    flushNs: random.pick([0, random.whole(1, 20) * MS]),
    fuaNs: random.whole(0, 400_000),
    writeCache: random.chance(0.8),
    seekMinNs: disk ? 500_000 : 0,
    seekMaxNs: disk ? 8 * MS : 0,
    rotationNs: disk ? 8 * MS : 0,
    jitterPermille: random.whole(0, 200),
  };
}

interface Mix {
  /** Blocks that nearly every handle changes, and those that few do. */
  readonly hot: number;
  readonly cold: number;
  readonly fsync: number;
  readonly syncHandle: number;
  readonly forget: number;
  readonly data: number;
}

function randomMix(random: Random): Mix {
  return {
    hot: random.whole(1, 8),
    cold: random.whole(50, 3000),
    fsync: random.pick([0, 0.01]),
    syncHandle: random.pick([0, 0.01]),
    forget: random.pick([0, 0.05]),
    data: random.pick([0, 0.2]),
  };
}

class MixedWorkload implements Workload {
  readonly name = "conformance";
  readonly #streams: { readonly random: Random; left: number }[];

  constructor(
    seed: number,
    readonly threads: number,
    handles: number,
    readonly mix: Mix,
  ) {
    this.#streams = Array.from({ length: threads }, (_, thread) => ({
      random: new Random(seed * 256 + thread + 1),
      left: handles,
    }));
  }

  fill(thread: number, sink: HandleSink): void {
    const stream = this.#streams[thread];
    while (stream !== undefined && stream.left > 0 && !sink.full) {
      stream.left--;
      this.#handle(stream.random, sink);
    }
    if (stream === undefined || stream.left === 0) {
      sink.end();
    }
  }

  #handle(random: Random, sink: HandleSink): void {
    const { mix } = this;
    const inode = random.whole(1, 64);
    const flags = random.chance(mix.syncHandle) ? 1 : 0;
    sink.handle(MAX_TOUCHED, random.whole(0, 20_000), random.whole(0, 20_000), inode, flags);
    for (let left = random.whole(1, MAX_TOUCHED); left > 0; left--) {
      const hot = random.chance(0.5);
      const block = hot ? random.whole(1, mix.hot) : 100 + random.whole(0, mix.cold - 1);
      const forget = !hot && random.chance(mix.forget);
      sink.access(forget ? 3 : random.pick<Access>([0, 0, 0, 1, 2]), block);
    }
    if (random.chance(mix.data)) {
      sink.data(random.whole(1, 4), 100_000 + random.whole(0, 10_000) * 4, 4, 5_000);
      sink.allocAccess(WRITE, random.whole(1, mix.hot));
    }
    if (random.chance(mix.fsync)) {
      sink.fsync(inode, 1_000);
    }
  }
}
