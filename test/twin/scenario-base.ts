import type { WorldConfig } from "@jbdlab/core-wasm";
import { MAINLINE } from "./random-policy.js";

/**
 * The world of the scenarios, in round figures: a log of 64 blocks, transactions of at most 16, a
 * device that takes 10 us per block, 100 us of latency and 1 ms per flush, a CPU for every task,
 * and no flusher unless a scenario lets pages expire.
 */
export const BASE: WorldConfig = {
  seed: 1,
  rule: "v4",
  journalBlocks: 64,
  maxTransactionDivisor: 4,
  tagsPerDescriptor: 254,
  conversionCredits: 0,
  commitIntervalNs: 5e9,
  threads: 1,
  cpus: 16,
  quantumNs: 750_000,
  tickNs: 4e6,
  cpu: {
    handleNs: 1000,
    logBufferNs: 1000,
    forgetBufferNs: 100,
    scanBufferNs: 100,
    flusherPageNs: 1000,
    checkpointWriteNs: 1000,
    frozenCopyNs: 500,
    commitNs: 10_000,
    logIoNs: 0,
    homeIoNs: 0,
    conversionNs: 0,
  },
  device: {
    name: "round figures",
    nsPerBlock: 10_000,
    latencyNs: 100_000,
    parallelism: 16,
    queueDepth: 32,
    maxRequestBlocks: 64,
    flushNs: 1e6,
    fuaNs: 0,
    writeCache: true,
    seekMinNs: 0,
    seekMaxNs: 0,
    rotationNs: 0,
    jitterPermille: 0,
  },
  dirtyWritebackNs: 1e9,
  flusherPhaseNs: 1e9,
  dirtyExpireNs: 0,
  memoryBlocks: 1 << 20,
  backgroundRatio: 0.1,
  dirtyRatio: 0.2,
  shrinkIntervalNs: 0,
  shrinkScan: 128,
  policy: MAINLINE,
  decisionMask: 0,
};
