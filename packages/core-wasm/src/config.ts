import { type DeviceProfile, type PolicySettings, RULES, type WorldConfig } from "./contract.js";
import { CoreError } from "./errors.js";
import type { Core } from "./wasm.js";

const MAX_JOURNAL_BLOCKS = 1 << 22;

type Range = readonly [name: string, value: number, min: number, max: number, whole: boolean];

function check([name, value, min, max, whole]: Range): void {
  const good = Number.isFinite(value) && value >= min && value <= max;
  if (good && (!whole || Number.isInteger(value))) return;
  const kind = whole ? "a whole number" : "a number";
  throw new CoreError("config", `${name}: expected ${kind} from ${min} to ${max}, found ${value}`);
}

const NS = 1e15;

function deviceRanges(device: DeviceProfile): Range[] {
  return [
    ["device.nsPerBlock", device.nsPerBlock, 0, NS, true],
    ["device.latencyNs", device.latencyNs, 0, NS, true],
    ["device.parallelism", device.parallelism, 1, 1024, true],
    ["device.queueDepth", device.queueDepth, 1, 1024, true],
    ["device.maxRequestBlocks", device.maxRequestBlocks, 1, 4096, true],
    ["device.flushNs", device.flushNs, 0, NS, true],
    ["device.fuaNs", device.fuaNs, 0, NS, true],
    ["device.seekMinNs", device.seekMinNs, 0, NS, true],
    ["device.seekMaxNs", device.seekMaxNs, 0, NS, true],
    ["device.rotationNs", device.rotationNs, 0, NS, true],
    ["device.jitterPermille", device.jitterPermille, 0, 500, true],
  ];
}

function policyRanges(policy: PolicySettings): Range[] {
  return [
    ["policy.closeShare", policy.closeShare, 0.05, 1, false],
    ["policy.tailShare", policy.tailShare, 0, 4, false],
  ];
}

/** Throws CoreError (config) that names the field, its range and what was found. */
export function checkConfig(config: WorldConfig): void {
  const maxTransaction = Math.floor(config.journalBlocks / config.maxTransactionDivisor);
  const ranges: Range[] = [
    ["seed", config.seed, 0, 0xffffffff, true],
    ["journalBlocks", config.journalBlocks, 64, MAX_JOURNAL_BLOCKS, true],
    ["maxTransactionDivisor", config.maxTransactionDivisor, 3, 4, true],
    ["tagsPerDescriptor", config.tagsPerDescriptor, 1, 8192, true],
    ["conversionCredits", config.conversionCredits, 0, Math.floor(maxTransaction / 2), true],
    ["commitIntervalNs", config.commitIntervalNs, 1, NS, true],
    ["threads", config.threads, 1, 256, true],
    ["cpus", config.cpus, 1, 1024, true],
    ["quantumNs", config.quantumNs, 0, NS, true],
    ["tickNs", config.tickNs, 1, NS, true],
    ["dirtyWritebackNs", config.dirtyWritebackNs, 1, NS, true],
    ["flusherPhaseNs", config.flusherPhaseNs, 0, NS, true],
    ["dirtyExpireNs", config.dirtyExpireNs, 0, NS, true],
    ["memoryBlocks", config.memoryBlocks, 1, 2 ** 40, true],
    ["backgroundRatio", config.backgroundRatio, 0, 1, false],
    ["dirtyRatio", config.dirtyRatio, 0, 1, false],
    ["shrinkIntervalNs", config.shrinkIntervalNs, 0, NS, true],
    ["shrinkScan", config.shrinkScan, 0, 2 ** 30, true],
    ["decisionMask", config.decisionMask, 0, 63, true],
    ...Object.entries(config.cpu).map(([k, v]): Range => [`cpu.${k}`, v as number, 0, 1e9, true]),
    ...deviceRanges(config.device),
    ...policyRanges(config.policy),
  ];
  for (const range of ranges) check(range);
  if (!RULES.includes(config.rule)) {
    throw new CoreError("config", `rule: expected ${RULES.join(" | ")}, found ${config.rule}`);
  }
}

const CLEANUP = { rule: 0, stop: 1, skip: 2 } as const;

/** Writes a checked config into the core. */
export function writeConfig(core: Core, config: WorldConfig): void {
  const { cpu, device, policy } = config;
  const values: Record<string, number> = {
    SEED: config.seed,
    RULE: RULES.indexOf(config.rule),
    JOURNAL_BLOCKS: config.journalBlocks,
    MAX_DIVISOR: config.maxTransactionDivisor,
    TAGS: config.tagsPerDescriptor,
    COMMIT_INTERVAL: config.commitIntervalNs,
    THREADS: config.threads,
    CPUS: config.cpus,
    QUANTUM: config.quantumNs,
    TICK: config.tickNs,
    CPU_HANDLE: cpu.handleNs,
    CPU_LOG: cpu.logBufferNs,
    CPU_FORGET: cpu.forgetBufferNs,
    CPU_SCAN: cpu.scanBufferNs,
    CPU_PAGE: cpu.flusherPageNs,
    CPU_CHECKPOINT: cpu.checkpointWriteNs,
    CPU_FROZEN: cpu.frozenCopyNs,
    CPU_COMMIT: cpu.commitNs,
    CPU_LOG_IO: cpu.logIoNs,
    CPU_HOME_IO: cpu.homeIoNs,
    CPU_CONVERSION: cpu.conversionNs,
    CONVERSION: config.conversionCredits,
    DEV_BLOCK: device.nsPerBlock,
    DEV_LATENCY: device.latencyNs,
    DEV_PARALLEL: device.parallelism,
    DEV_QUEUE: device.queueDepth,
    DEV_MERGE: device.maxRequestBlocks,
    DEV_FLUSH: device.flushNs,
    DEV_FUA: device.fuaNs,
    DEV_CACHE: device.writeCache ? 1 : 0,
    DEV_SEEK_MIN: device.seekMinNs,
    DEV_SEEK_MAX: device.seekMaxNs,
    DEV_ROTATION: device.rotationNs,
    DEV_JITTER: device.jitterPermille,
    WB_INTERVAL: config.dirtyWritebackNs,
    WB_PHASE: config.flusherPhaseNs,
    WB_EXPIRE: config.dirtyExpireNs,
    MEMORY: config.memoryBlocks,
    BACKGROUND: config.backgroundRatio,
    DIRTY: config.dirtyRatio,
    SHRINK_INTERVAL: config.shrinkIntervalNs,
    SHRINK_SCAN: config.shrinkScan,
    POL_CLEANUP: CLEANUP[policy.commitCleanup],
    POL_CLEAN_TAIL: policy.cleanBeforeTail ? 1 : 0,
    POL_CLOSE: policy.closeShare,
    POL_TAIL: policy.tailShare,
    POL_INFINITE: policy.infiniteLog ? 1 : 0,
    POL_WRITE_HOME: policy.writeHomeAtCommitEnd ? 1 : 0,
    DECISIONS: config.decisionMask,
  };
  for (const [name, value] of Object.entries(values)) core.setConfig(`CFG_${name}`, value);
}
