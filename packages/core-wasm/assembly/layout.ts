// The memory map and the limits. One drawn map; index.ts checks at start-up that static data ends
// below it.
//
//   0x00000000  static data of the module (asserts, tables)
//   0x00100000  CONFIG    f64[256]       written by the host before init()
//   0x00110000  STATS     f64[4096]      counters, read by the host
//   0x00120000  VIEW      f64[64]        snapshot at a decision point
//   0x00121000  WINDOWS   48 B x 64      the first loss windows
//   0x00140000  QUEUES    8 B x 64       wait queues (head, tail)
//   0x00150000  BATCH     i32[64]        checkpoint batch (j_chkpt_bhs)
//   0x00160000  COMMANDS  16 B x 64      policy commands to worker and kjournald
//   0x00170000  SLOTS     i64[1024]      device latency slots
//   0x00180000  SAMPLES   24 B x 4096    iterations (files, end time, files/s)
//   0x00200000  TASKS     512 B x 272    threads, kjournald, flusher, worker, kswapd, converter
//   0x00300000  HEAP      16 B x 65536   event queue
//   0x00500000  REQUESTS  64 B x 16384   block requests
//   0x00600000  TRACE     24 B x 65536   what happened, until the host has taken it
//   0x00800000  RECORDS   32 KiB x 256   handle records, one batch per thread
//   0x01000000  TXS       192 B x 262144 transactions
//   0x04000000  RING      i32 x 4 Mi     the judge's record of what each log block holds
//   0x05000000  BHASH     i32 x 4 Mi     block number -> buffer
//   0x06000000  IHASH     i32 x 4 Mi     inode number -> inode
//   0x07000000  SCRATCH   i64 x 4 Mi     sorting a writeback pass
//   0x09000000  INODES    128 B x 2 Mi   inodes with dirty pages or an uncommitted change
//   0x19000000  BUFFERS   64 B each      grows to the end of memory

export const CONFIG: usize = 0x00100000;
export const STATS: usize = 0x00110000;
export const VIEW: usize = 0x00120000;
export const WINDOWS: usize = 0x00121000;
export const QUEUES: usize = 0x00140000;
export const BATCH: usize = 0x00150000;
export const COMMANDS: usize = 0x00160000;
export const SLOTS: usize = 0x00170000;
export const SAMPLES: usize = 0x00180000;
export const TASKS: usize = 0x00200000;
export const HEAP: usize = 0x00300000;
export const REQUESTS: usize = 0x00500000;
export const TRACE: usize = 0x00600000;
export const RECORDS: usize = 0x00800000;
export const TXS: usize = 0x01000000;
export const RING: usize = 0x04000000;
export const BHASH: usize = 0x05000000;
export const IHASH: usize = 0x06000000;
export const SCRATCH: usize = 0x07000000;
export const INODES: usize = 0x09000000;
export const BUFFERS: usize = 0x19000000;

export const MAX_THREADS: i32 = 256;
export const MAX_EVENTS: i32 = 65536;
export const MAX_REQUESTS: i32 = 16384;
export const MAX_TXS: i32 = 262144;
export const MAX_RING: i32 = 4194304;
export const MAX_HASH: i32 = 4194304;
export const MAX_SCRATCH: i32 = 4194304;
export const MAX_INODES: i32 = 2097152;
export const MAX_SAMPLES: i32 = 4096;
export const MAX_WINDOWS: i32 = 64;
export const MAX_COMMANDS: i32 = 64;
export const MAX_TRACE: i32 = 65536;
export const RECORD_WORDS: i32 = 8192;

// Error codes (Reason Trap); the host turns them into messages.
export const ERR_ASSERT: i32 = 1;
export const ERR_CREDITS: i32 = 2;
export const ERR_EVENTS: i32 = 3;
export const ERR_REQUESTS: i32 = 4;
export const ERR_TXS: i32 = 5;
export const ERR_MEMORY: i32 = 6;
export const ERR_INODES: i32 = 7;
export const ERR_NO_SPACE: i32 = 8;
export const ERR_RECORD: i32 = 9;
export const ERR_COMMANDS: i32 = 10;
export const ERR_CONFIG: i32 = 11;
export const ERR_LOG_FULL: i32 = 12;
export const ERR_TOO_LARGE: i32 = 13;
export const ERR_STUCK: i32 = 14;
export const ERR_INVARIANT: i32 = 15;

/** First error of the run; 0 = none. Once set, the run loop stops before the next event. */
export let error: i32 = 0;
export let errorArg: i32 = 0;
export function fail(code: i32, arg: i32): void {
  if (error == 0) {
    error = code;
    errorArg = arg;
  }
}
export function clearError(): void {
  error = 0;
  errorArg = 0;
}
