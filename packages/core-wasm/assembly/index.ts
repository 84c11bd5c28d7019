// What the host sees: the run, the feed of records, the policy's answers, and every offset and enum
// it needs.
import { CONFIG, RECORDS, SAMPLES, STATS, TRACE, VIEW, WINDOWS, error, errorArg } from "./layout";
import { openWindows, violation, violationBlock } from "./crash";
import { hash0, hash1, now, traceCount } from "./events";
import { maxTransaction } from "./config";
import { liveBuffers } from "./buffer";
import { hungry } from "./workload";

export { reset, runUntilReason } from "./sim";
export { feed, setStopAfter } from "./workload";
export { setTracing, traceTaken } from "./events";
export {
  answerArmFreeBelow, answerArmTick, answerCheckpointOldest, answerDelayHandles, answerDropClean,
  answerMoveTail,
  answerRequestCommit, answerWriteHome, fillOldest, fillView,
} from "./policy";

export {
  CFG_SEED, CFG_RULE, CFG_JOURNAL_BLOCKS, CFG_MAX_DIVISOR, CFG_TAGS, CFG_COMMIT_INTERVAL,
  CFG_THREADS, CFG_CPUS, CFG_QUANTUM, CFG_CPU_HANDLE, CFG_CPU_LOG, CFG_CPU_FORGET, CFG_CPU_SCAN,
  CFG_CPU_PAGE, CFG_CPU_CHECKPOINT, CFG_CPU_FROZEN, CFG_CPU_COMMIT, CFG_DEV_BLOCK, CFG_DEV_LATENCY,
  CFG_DEV_PARALLEL, CFG_DEV_QUEUE, CFG_DEV_MERGE, CFG_DEV_FLUSH, CFG_DEV_FUA, CFG_DEV_CACHE,
  CFG_DEV_SEEK_MIN, CFG_DEV_SEEK_MAX, CFG_DEV_ROTATION, CFG_DEV_JITTER, CFG_WB_INTERVAL,
  CFG_WB_EXPIRE, CFG_MEMORY, CFG_BACKGROUND, CFG_DIRTY, CFG_SHRINK_INTERVAL, CFG_SHRINK_SCAN,
  CFG_POL_CLEANUP, CFG_POL_CLEAN_TAIL, CFG_POL_CLOSE, CFG_POL_TAIL, CFG_POL_INFINITE,
  CFG_POL_WRITE_HOME, CFG_DECISIONS, CFG_TICK, CFG_CPU_LOG_IO, CFG_WB_PHASE, CFG_CPU_HOME_IO,
  CFG_CPU_CONVERSION, CFG_CONVERSION,
} from "./config";
export {
  ST_HANDLES, ST_TOUCHES, ST_FILES, ST_SAMPLES, ST_COMMITS, ST_REASON, ST_COMMIT_HANDLES,
  ST_COMMIT_BUFFERS, ST_LOGGED, ST_C_RUN, ST_C_LOCK, ST_C_SUBMIT, ST_C_IOWAIT, ST_C_RECORD,
  ST_C_TAIL, ST_C_FORGET, ST_C_TOTAL, ST_FROZEN, ST_REJOINED, ST_FORCED, ST_CP_CALLS, ST_CP_WRITES,
  ST_CP_DROPPED, ST_SPACE_N, ST_SPACE_NS, ST_SPACE_MAX, ST_CWAIT_N, ST_CWAIT_NS, ST_TAIL_COMMIT,
  ST_TAIL_THREAD, ST_TAIL_FLUSHER, ST_TAIL_WORKER, ST_TAIL_KJOURNALD, ST_TAIL_BLOCKS,
  ST_TAIL_DECIDED, ST_TAIL_SMALL, ST_CL_SCANNED, ST_CL_FREED, ST_CL_FREED_REJOINED,
  ST_CL_STOP_REJOINED, ST_CL_STOP_LOCKED, ST_CL_STOP_DIRTY, ST_CL_RELEASED, ST_HW_FLUSHER,
  ST_HW_CHECKPOINT, ST_HW_POLICY, ST_DATA_WRITES, ST_LOG_WRITES, ST_FLUSHES, ST_FLUSHER_STALL,
  ST_RUNQ, ST_LONGEST, ST_BG_N, ST_BG_NS, ST_CUTS, ST_WINDOWS, ST_WINDOW_NS, ST_SHRUNK,
  ST_STALL_NS, ST_STALL_N, ST_HIST,
} from "./stats";

export const configAt: usize = CONFIG;
export const statsAt: usize = STATS;
export const viewAt: usize = VIEW;
export const windowsAt: usize = WINDOWS;
export const samplesAt: usize = SAMPLES;
export const recordsAt: usize = RECORDS;
export const traceAt: usize = TRACE;

export function errorCode(): i32 {
  return error;
}
export function errorArgument(): i32 {
  return errorArg;
}
export function traced(): i32 {
  return traceCount;
}
export function hungryThread(): i32 {
  return hungry;
}
export function simulatedNs(): f64 {
  return <f64>now;
}
export function maximumTransaction(): i32 {
  return maxTransaction;
}
export function digestLow(): u32 {
  return hash0;
}
export function digestHigh(): u32 {
  return hash1;
}
export function violationKind(): i32 {
  return violation;
}
export function violationAt(): u32 {
  return violationBlock;
}
export function windowsOpen(): i32 {
  return openWindows;
}
export function buffersAlive(): i32 {
  return liveBuffers;
}
/** Asserts of the debug build end here. */
export function trap(message: usize, file: usize, line: u32, column: u32): void {
  unreachable();
}
