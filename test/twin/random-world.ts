// Random small worlds: everything a world can be, in a few hundred handles.
import {
  type DeviceProfile,
  type PolicyDriver,
  type PolicySettings,
  RULES,
  type Workload,
  type WorldConfig,
} from "@jbdlab/core-wasm";
import { Random } from "./random.js";
import { MAINLINE, POLICIES, type PolicyName } from "./random-policy.js";
import { type Extent, randomWorkload } from "./random-workload.js";

export interface RandomWorld {
  readonly seed: number;
  readonly policyName: PolicyName;
  readonly config: WorldConfig;
  /** Fresh ones for each run: both keep state. */
  workload(): Workload;
  driver(): PolicyDriver | undefined;
}

const PLAIN: DeviceProfile = {
  name: "plain",
  nsPerBlock: 8000,
  latencyNs: 60_000,
  parallelism: 8,
  queueDepth: 32,
  maxRequestBlocks: 64,
  flushNs: 800_000,
  fuaNs: 60_000,
  writeCache: true,
  seekMinNs: 0,
  seekMaxNs: 0,
  rotationNs: 0,
  jitterPermille: 0,
};
const DEVICES: readonly [DeviceProfile, ...DeviceProfile[]] = [
  PLAIN,
  { ...PLAIN, name: "slow flush", flushNs: 8_000_000 },
  { ...PLAIN, name: "no write cache", writeCache: false, flushNs: 0 },
  { ...PLAIN, name: "free flush", flushNs: 0, fuaNs: 0 },
  { ...PLAIN, name: "few tags", queueDepth: 2, parallelism: 1, maxRequestBlocks: 8 },
  { ...PLAIN, name: "one tag", queueDepth: 1, parallelism: 1, maxRequestBlocks: 1 },
  {
    ...PLAIN,
    name: "disk",
    seekMinNs: 500_000,
    seekMaxNs: 12_000_000,
    rotationNs: 8_333_333,
    queueDepth: 16,
    nsPerBlock: 27_000,
    latencyNs: 20_000,
  },
];

function randomDevice(random: Random): DeviceProfile {
  const jitterPermille = random.pick([0, 0, 7, 250, 500]);
  return { ...random.pick(DEVICES), jitterPermille };
}

function randomSettings(random: Random): PolicySettings {
  return {
    ...MAINLINE,
    commitCleanup: random.pick(["rule", "rule", "rule", "stop", "skip"]),
    cleanBeforeTail: random.chance(20),
    closeShare: random.pick([1, 1, 1, 0.8, 0.5]),
    tailShare: random.pick([1, 1, 0.5, 0, 2]),
    infiniteLog: random.chance(6),
    writeHomeAtCommitEnd: random.chance(15),
  };
}

/** Room for the overhead and a few credits in a transaction, whatever its share. */
function randomTags(random: Random, settings: PolicySettings, maxTransaction: number): number {
  const room = Math.floor(maxTransaction * settings.closeShare);
  const tags = random.pick([254, 254, 16, 5]);
  return 1 + Math.ceil(maxTransaction / tags) <= room - 8 ? tags : 254;
}

/** What random worlds may contain. */
export interface Allowed {
  /** Completions take CPU time from whoever runs, also with all CPUs busy. */
  readonly interrupts: boolean;
  /** Freed blocks are freed and taken again at will, under every rule. */
  readonly anyForget: boolean;
  readonly syncs: boolean;
}
export const ANYTHING: Allowed = { interrupts: true, anyForget: true, syncs: true };

/** The world of a seed; the same seed makes the same world. */
export function randomWorld(seed: number, allowed: Allowed = ANYTHING): RandomWorld {
  const random = new Random(Math.imul(seed, 0x9e3779b1) ^ 0x2545f491);
  const settings = randomSettings(random);
  const policyName = random.pick(Object.keys(POLICIES) as [PolicyName, ...PolicyName[]]);
  const journalBlocks = random.pick([64, 100, 128, 192, 256, 300, 512, 1024, 2048]);
  const maxTransactionDivisor = random.pick([3, 4] as const);
  const maxTransaction = Math.floor(journalBlocks / maxTransactionDivisor);
  const threads = random.whole(1, 4);
  const config: WorldConfig = {
    seed: random.whole(0, 2 ** 31),
    rule: random.pick(RULES as readonly [(typeof RULES)[number]]),
    journalBlocks,
    maxTransactionDivisor,
    tagsPerDescriptor: randomTags(random, settings, maxTransaction),
    conversionCredits: random.pick([0, 2, 2, 4]),
    commitIntervalNs: random.pick([5e9, 5e9, 40e6, 7e6, 900_000]),
    threads,
    cpus: random.pick([1, 1, 2, 2, 8]),
    quantumNs: random.pick([750_000, 1_500_000, 100_000, 0]),
    tickNs: random.pick([1e6, 4e6, 250_000]),
    cpu: {
      handleNs: random.pick([2000, 2000, 0, 300]),
      logBufferNs: random.pick([500, 4400, 0]),
      forgetBufferNs: random.pick([100, 700, 0]),
      scanBufferNs: random.pick([50, 300, 0]),
      flusherPageNs: random.pick([3000, 500, 20]),
      checkpointWriteNs: random.pick([500, 4000, 0]),
      frozenCopyNs: random.pick([300, 2000, 0]),
      commitNs: random.pick([5000, 60_000, 0]),
      logIoNs: random.pick([0, 300, 2000]) * (allowed.interrupts ? 1 : 0),
      homeIoNs: random.pick([0, 400, 5000]) * (allowed.interrupts ? 1 : 0),
      conversionNs: random.pick([0, 2000, 30_000]),
    },
    device: randomDevice(random),
    dirtyWritebackNs: random.pick([3e6, 700_000, 30e6, 5e9]),
    flusherPhaseNs: random.pick([1_300_000, 0, 10e6]),
    dirtyExpireNs: random.pick([0, 4e6, 50e6]),
    memoryBlocks: random.pick([1 << 20, 1 << 20, 2000, 500, 150]),
    backgroundRatio: random.pick([0.1, 0.1, 0.4]),
    dirtyRatio: random.pick([0.2, 0.5]),
    shrinkIntervalNs: random.pick([0, 0, 2e6, 300_000]),
    shrinkScan: random.pick([128, 16, 1]),
    policy: settings,
    decisionMask: 0,
  };
  const overhead = 1 + Math.ceil(maxTransaction / config.tagsPerDescriptor);
  const room = Math.floor(maxTransaction * settings.closeShare) - overhead;
  const safe = config.rule !== "v2" && config.rule !== "v3";
  const extent: Extent = {
    room,
    forgets: allowed.anyForget ? "any" : safe ? "once" : "none",
    syncs: allowed.syncs,
  };
  const workloadSeed = random.whole(0, 2 ** 31);
  return {
    seed,
    policyName,
    config,
    workload: () => randomWorkload(workloadSeed, threads, extent),
    driver: () => POLICIES[policyName]?.(settings),
  };
}
