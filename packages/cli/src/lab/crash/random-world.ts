import type { DeviceProfile, Rule, WorldConfig } from "@jbdlab/core-wasm";
import type { CrashAccess, CrashStep, CrashWorld } from "./crash-world.js";

/** A small generator of random numbers (mulberry32), the same on every engine. */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  below(n: number): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 2 ** 32) * n);
  }
  pick<T>(values: readonly [T, ...T[]]): T {
    return values[this.below(values.length)] ?? values[0];
  }
  chance(percent: number): boolean {
    return this.below(100) < percent;
  }
}

function randomDevice(random: Random): DeviceProfile {
  const disk = random.chance(15);
  const cache = random.chance(85);
  return {
    name: "random",
    nsPerBlock: random.pick([8000, 1000, 40_000]),
    latencyNs: random.pick([60_000, 0, 320_000]),
    parallelism: disk ? 1 : random.pick([8, 1, 64]),
    queueDepth: random.pick([32, 2, 1]),
    maxRequestBlocks: random.pick([64, 8, 1]),
    flushNs: cache ? random.pick([800_000, 8_000_000, 0]) : 0,
    fuaNs: cache ? random.pick([60_000, 0, 500_000]) : 0,
    writeCache: cache,
    seekMinNs: disk ? 500_000 : 0,
    seekMaxNs: disk ? 12_000_000 : 0,
    rotationNs: disk ? 8_333_333 : 0,
    jitterPermille: random.pick([0, 50, 400]),
  };
}

/** How the handles of a world use blocks. */
interface Traits {
  readonly handles: number;
  readonly accesses: number;
  readonly hot: number;
  readonly warm: number;
  readonly forgets: number;
  readonly data: number;
  readonly fsync: number;
  readonly sync: number;
  readonly thinkNs: number;
}

class Steps {
  readonly #random: Random;
  readonly #traits: Traits;
  readonly #thread: number;
  #cold: number;

  constructor(random: Random, traits: Traits, thread: number) {
    this.#random = random;
    this.#traits = traits;
    this.#thread = thread;
    this.#cold = 10_000 * (thread + 1);
  }
  #access(): CrashAccess {
    const { hot, warm, forgets } = this.#traits;
    const draw = this.#random.below(10);
    if (draw >= 7 && this.#random.chance(forgets)) return [3, this.#cold - 1];
    if (draw < 3) return [0, 1 + this.#random.below(hot)];
    if (draw < 6) return [0, 100 + this.#random.below(warm)];
    return [this.#random.pick([0, 0, 1]), this.#cold++];
  }
  #distinct(): CrashAccess[] {
    const seen = new Map<number, CrashAccess>();
    const wanted = 1 + this.#random.below(this.#traits.accesses);
    for (let i = 0; i < wanted; i++) {
      const access = this.#access();
      if (!seen.has(access[1])) seen.set(access[1], access);
    }
    return [...seen.values()];
  }
  next(): CrashStep {
    const { data, fsync, sync, thinkNs } = this.#traits;
    const inode = 1 + 100 * this.#thread + this.#random.below(6);
    if (this.#random.chance(fsync)) return { do: "fsync", inode, thinkNs };
    if (this.#random.chance(sync)) return { do: "sync", thinkNs };
    const accesses = this.#distinct();
    const handle = {
      do: "handle" as const,
      credits: accesses.length + this.#random.below(3),
      thinkNs,
      cpuNs: this.#random.pick([4000, 0, 20_000]),
      inode,
      sync: this.#random.chance(2),
      accesses,
    };
    if (!this.#random.chance(data)) return handle;
    const own: CrashAccess[] = [
      [0, 1 + this.#random.below(this.#traits.hot)],
      [0, 50_000 + inode],
    ];
    const dataBlock = 1_000_000 + this.#cold;
    return { ...handle, data: { blocks: 1, dataBlock, credits: 3, cpuNs: 2000, accesses: own } };
  }
}

/** The world of a seed: the same seed makes the same world. */
export function randomCrashWorld(seed: number, rule: Rule, policy: string): CrashWorld {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x51ed270b);
  const threads = 1 + random.below(4);
  const traits: Traits = {
    handles: random.pick([60, 120, 250]),
    accesses: random.pick([3, 5, 6]),
    hot: random.pick([1, 3, 8]),
    warm: random.pick([5, 20, 60]),
    forgets: random.pick([0, 0, 25]),
    data: random.pick([0, 0, 40]),
    fsync: random.pick([0, 0, 3, 20]),
    sync: random.pick([0, 0, 1]),
    thinkNs: random.pick([20_000, 0, 300_000]),
  };
  const lists = Array.from({ length: threads }, (_, thread) => {
    const steps = new Steps(random, traits, thread);
    return Array.from({ length: Math.ceil(traits.handles / threads) }, () => steps.next());
  });
  const config = randomConfig(random, seed, rule, threads);
  return { format: "jbdlab-crash-1", seed, config, policy, threads: lists };
}

function randomConfig(random: Random, seed: number, rule: Rule, threads: number): WorldConfig {
  return {
    seed,
    rule,
    journalBlocks: random.pick([64, 96, 128, 256]),
    maxTransactionDivisor: random.pick([4, 3]),
    tagsPerDescriptor: random.pick([254, 16]),
    conversionCredits: random.pick([0, 2]),
    commitIntervalNs: random.pick([5e9, 40e6, 5e6]),
    threads,
    cpus: random.pick([1, 2, 8]),
    quantumNs: random.pick([750_000, 100_000]),
    tickNs: random.pick([1e6, 4e6]),
    cpu: {
      handleNs: 1000,
      logBufferNs: random.pick([500, 3000]),
      forgetBufferNs: random.pick([100, 700]),
      scanBufferNs: random.pick([50, 300]),
      flusherPageNs: random.pick([500, 3000]),
      checkpointWriteNs: random.pick([500, 4000]),
      frozenCopyNs: 500,
      commitNs: random.pick([5000, 60_000]),
      logIoNs: random.pick([0, 2000]),
      homeIoNs: random.pick([0, 5000]),
      conversionNs: random.pick([2000, 20_000]),
    },
    device: randomDevice(random),
    dirtyWritebackNs: random.pick([3e6, 700_000, 30e6]),
    flusherPhaseNs: random.pick([1e6, 0]),
    dirtyExpireNs: random.pick([0, 4e6, 50e6]),
    memoryBlocks: random.pick([1 << 20, 500, 150]),
    backgroundRatio: 0.1,
    dirtyRatio: 0.2,
    shrinkIntervalNs: random.pick([0, 0, 2e6, 300_000]),
    shrinkScan: random.pick([128, 8]),
    policy: {
      commitCleanup: "rule",
      cleanBeforeTail: false,
      closeShare: 1,
      tailShare: 1,
      infiniteLog: false,
      writeHomeAtCommitEnd: false,
    },
    decisionMask: 0,
  };
}
