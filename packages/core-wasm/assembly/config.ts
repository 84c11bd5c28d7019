// The world as numbers: the host writes f64s at CONFIG by these indices, init() copies them into
// typed globals.
import { CONFIG } from "./layout";

export const CFG_SEED: i32 = 0;
export const CFG_RULE: i32 = 1;
export const CFG_JOURNAL_BLOCKS: i32 = 2;
export const CFG_MAX_DIVISOR: i32 = 3;
export const CFG_TAGS: i32 = 4;
export const CFG_COMMIT_INTERVAL: i32 = 5;
export const CFG_THREADS: i32 = 6;
export const CFG_CPUS: i32 = 7;
export const CFG_QUANTUM: i32 = 8;
export const CFG_CPU_HANDLE: i32 = 9;
export const CFG_CPU_LOG: i32 = 10;
export const CFG_CPU_FORGET: i32 = 11;
export const CFG_CPU_SCAN: i32 = 12;
export const CFG_CPU_PAGE: i32 = 13;
export const CFG_CPU_CHECKPOINT: i32 = 14;
export const CFG_CPU_FROZEN: i32 = 15;
export const CFG_CPU_COMMIT: i32 = 16;
export const CFG_DEV_BLOCK: i32 = 17;
export const CFG_DEV_LATENCY: i32 = 18;
export const CFG_DEV_PARALLEL: i32 = 19;
export const CFG_DEV_QUEUE: i32 = 20;
export const CFG_DEV_MERGE: i32 = 21;
export const CFG_DEV_FLUSH: i32 = 22;
export const CFG_DEV_FUA: i32 = 23;
export const CFG_DEV_CACHE: i32 = 24;
export const CFG_DEV_SEEK_MIN: i32 = 25;
export const CFG_DEV_SEEK_MAX: i32 = 26;
export const CFG_DEV_ROTATION: i32 = 27;
export const CFG_DEV_JITTER: i32 = 28;
export const CFG_WB_INTERVAL: i32 = 29;
export const CFG_WB_EXPIRE: i32 = 30;
export const CFG_MEMORY: i32 = 31;
export const CFG_BACKGROUND: i32 = 32;
export const CFG_DIRTY: i32 = 33;
export const CFG_SHRINK_INTERVAL: i32 = 34;
export const CFG_SHRINK_SCAN: i32 = 35;
export const CFG_POL_CLEANUP: i32 = 36; // 0 rule, 1 stop, 2 skip
export const CFG_POL_CLEAN_TAIL: i32 = 37;
export const CFG_POL_CLOSE: i32 = 38;
export const CFG_POL_TAIL: i32 = 39;
export const CFG_POL_INFINITE: i32 = 40;
export const CFG_POL_WRITE_HOME: i32 = 41;
export const CFG_DECISIONS: i32 = 42;
export const CFG_TICK: i32 = 43;
export const CFG_CPU_LOG_IO: i32 = 44;
export const CFG_WB_PHASE: i32 = 46;
export const CFG_CPU_HOME_IO: i32 = 45;
export const CFG_CPU_CONVERSION: i32 = 47;
export const CFG_CONVERSION: i32 = 48;

@inline export function cfg(i: i32): f64 {
  return load<f64>(CONFIG + ((<usize>i) << 3));
}

export let seed: u32 = 1;
export let skipBusy: bool = false; // commit-time cleanup skips busy buffers and goes on (v1, v2)
export let checkRejoined: bool = true; // a rejoined buffer is busy (all but v2, v3)
export let journalBlocks: i32 = 0;
export let maxTransaction: i32 = 0;
export let closeLimit: i32 = 0;
export let tailMinimum: i32 = 0;
export let tagsPerDescriptor: i32 = 253;
export let overhead: i32 = 0;
export let commitInterval: i64 = 0;
export let threads: i32 = 1;
export let cpus: i32 = 2;
export let quantum: i64 = 0; // base slice
export let tick: i64 = 1000000;
export let cpuHandle: i64 = 0;
export let cpuLog: i64 = 0;
export let cpuForget: i64 = 0;
export let cpuScan: i64 = 0;
export let cpuPage: i64 = 0;
export let cpuCheckpoint: i64 = 0;
export let cpuFrozen: i64 = 0;
export let cpuCommit: i64 = 0;
export let cpuLogIo: i64 = 0;
export let cpuHomeIo: i64 = 0;
export let cpuConversion: i64 = 0;
/** Reserved for converting a write's unwritten extents; 0 = data is ordered instead. */
export let conversionCredits: i32 = 0;
export let devBlock: i64 = 0;
export let devLatency: i64 = 0;
export let devParallel: i32 = 1;
export let devQueue: i32 = 1;
export let devMerge: i32 = 1;
export let devFlush: i64 = 0;
export let devFua: i64 = 0;
export let devCache: bool = true;
export let devSeekMin: f64 = 0;
export let devSeekMax: f64 = 0;
export let devRotation: i64 = 0;
export let devJitter: i32 = 0;
export let wbInterval: i64 = 0;
export let wbExpire: i64 = 0;
export let wbPhase: i64 = 0; // first wake-up
export let backgroundPages: i64 = 0;
export let freerunPages: i64 = 0;
export let shrinkInterval: i64 = 0;
export let shrinkScan: i32 = 0;
export let cleanBeforeTail: bool = false;
export let infiniteLog: bool = false;
export let writeHomeAtEnd: bool = false;
export let decisions: i32 = 0;

/**
 * Copies CONFIG into the globals. Returns false when a value makes no world (the host validates
 * with better words).
 */
export function readConfig(): bool {
  seed = <u32>(<u64>cfg(CFG_SEED) & 0xffffffff);
  const rule = <i32>cfg(CFG_RULE);
  if (rule < 0 || rule > 4) return false;
  const forced = <i32>cfg(CFG_POL_CLEANUP);
  skipBusy = forced == 0 ? rule == 1 || rule == 2 : forced == 2;
  checkRejoined = rule != 2 && rule != 3;
  journalBlocks = <i32>cfg(CFG_JOURNAL_BLOCKS);
  const divisor = <i32>cfg(CFG_MAX_DIVISOR);
  if (journalBlocks < 64 || journalBlocks > 1 << 22 || divisor < 1) return false;
  maxTransaction = journalBlocks / divisor;
  tagsPerDescriptor = <i32>cfg(CFG_TAGS);
  if (tagsPerDescriptor < 1) return false;
  overhead = 1 + (maxTransaction + tagsPerDescriptor - 1) / tagsPerDescriptor;
  closeLimit = <i32>(<f64>maxTransaction * cfg(CFG_POL_CLOSE));
  tailMinimum = <i32>(<f64>maxTransaction * cfg(CFG_POL_TAIL));
  commitInterval = <i64>cfg(CFG_COMMIT_INTERVAL);
  threads = <i32>cfg(CFG_THREADS);
  cpus = <i32>cfg(CFG_CPUS);
  if (threads < 1 || threads > 256 || cpus < 1) return false;
  quantum = <i64>cfg(CFG_QUANTUM);
  tick = <i64>cfg(CFG_TICK);
  cpuHandle = <i64>cfg(CFG_CPU_HANDLE);
  cpuLog = <i64>cfg(CFG_CPU_LOG);
  cpuForget = <i64>cfg(CFG_CPU_FORGET);
  cpuScan = <i64>cfg(CFG_CPU_SCAN);
  cpuPage = <i64>cfg(CFG_CPU_PAGE);
  cpuCheckpoint = <i64>cfg(CFG_CPU_CHECKPOINT);
  cpuFrozen = <i64>cfg(CFG_CPU_FROZEN);
  cpuCommit = <i64>cfg(CFG_CPU_COMMIT);
  cpuLogIo = <i64>cfg(CFG_CPU_LOG_IO);
  cpuHomeIo = <i64>cfg(CFG_CPU_HOME_IO);
  cpuConversion = <i64>cfg(CFG_CPU_CONVERSION);
  conversionCredits = <i32>cfg(CFG_CONVERSION);
  if (conversionCredits * 2 > maxTransaction) return false;
  devBlock = <i64>cfg(CFG_DEV_BLOCK);
  devLatency = <i64>cfg(CFG_DEV_LATENCY);
  devParallel = <i32>cfg(CFG_DEV_PARALLEL);
  devQueue = <i32>cfg(CFG_DEV_QUEUE);
  devMerge = <i32>cfg(CFG_DEV_MERGE);
  if (devParallel < 1 || devParallel > 1024 || devQueue < 1 || devMerge < 1) return false;
  devFlush = <i64>cfg(CFG_DEV_FLUSH);
  devFua = <i64>cfg(CFG_DEV_FUA);
  devCache = cfg(CFG_DEV_CACHE) != 0;
  devSeekMin = cfg(CFG_DEV_SEEK_MIN);
  devSeekMax = cfg(CFG_DEV_SEEK_MAX);
  devRotation = <i64>cfg(CFG_DEV_ROTATION);
  devJitter = <i32>cfg(CFG_DEV_JITTER);
  wbInterval = <i64>cfg(CFG_WB_INTERVAL);
  wbExpire = <i64>cfg(CFG_WB_EXPIRE);
  wbPhase = <i64>cfg(CFG_WB_PHASE);
  const memory = cfg(CFG_MEMORY);
  backgroundPages = <i64>(memory * cfg(CFG_BACKGROUND));
  freerunPages = <i64>(memory * (cfg(CFG_BACKGROUND) + cfg(CFG_DIRTY)) * 0.5);
  shrinkInterval = <i64>cfg(CFG_SHRINK_INTERVAL);
  shrinkScan = <i32>cfg(CFG_SHRINK_SCAN);
  cleanBeforeTail = cfg(CFG_POL_CLEAN_TAIL) != 0;
  infiniteLog = cfg(CFG_POL_INFINITE) != 0;
  writeHomeAtEnd = cfg(CFG_POL_WRITE_HOME) != 0;
  decisions = <i32>cfg(CFG_DECISIONS);
  return closeLimit > overhead && wbInterval > 0 && commitInterval > 0 && tick > 0;
}
