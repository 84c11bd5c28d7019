/**
 * The public contract of the core: what a world is, what drives it, what it tells.
 * All times are integer nanoseconds of simulated time, all sizes are file-system blocks unless the
 * name says otherwise.
 */

/**
 * The cleanup rule of a kernel (see ARCHITECTURE.md): v0 <= 6.4, v1 6.5-rc, v2 6.5, v3
 * 373ac521799d, v4 590a809ff743.
 */
export type Rule = "v0" | "v1" | "v2" | "v3" | "v4";
export const RULES: readonly Rule[] = ["v0", "v1", "v2", "v3", "v4"];

/**
 * Service model of a block device: one serial pipe, then an overlapping latency, a volatile cache
 * and its flush.
 */
export interface DeviceProfile {
  name: string;
  /** Time the pipe is busy for one block. */
  nsPerBlock: number;
  /** Added after service; up to `parallelism` requests may be in it at once. */
  latencyNs: number;
  /** Requests that may overlap in the latency stage, 1 ... 1024. */
  parallelism: number;
  /** Tags: requests that may be in flight before a submitter sleeps, 1 ... 1024. */
  queueDepth: number;
  /** Largest merged request, blocks. */
  maxRequestBlocks: number;
  /** Time a cache flush occupies the pipe. */
  flushNs: number;
  /** Added service of a FUA write. */
  fuaNs: number;
  /**
   * Volatile write cache announced: jbd2 sends preflush and FUA, completed writes are not yet
   * durable.
   */
  writeCache: boolean;
  /**
   * HDD only: full-stroke seek; 0 = no seek model. A request costs seekMinNs + (seekMaxNs-
   * seekMinNs)*sqrt(distance/span) + rotationNs/2.
   */
  seekMinNs: number;
  seekMaxNs: number;
  rotationNs: number;
  /** Uniform jitter on service and latency, per mille (0 ... 500), drawn from the seed. */
  jitterPermille: number;
}

/**
 * CPU time per operation. Every figure is measured, published or assumed; `provenance` in the
 * profile registry says which.
 */
export interface CpuCosts {
  /** jbd2_journal_start + _stop themselves; a record's own `cpuNs` comes on top. */
  handleNs: number;
  /** kjournald, per logged buffer: prepare, tag, submit. */
  logBufferNs: number;
  /** kjournald, per buffer of the forget list. */
  forgetBufferNs: number;
  /** Per buffer looked at by a checkpoint-list scan. */
  scanBufferNs: number;
  /** Flusher, per page looked at. */
  flusherPageNs: number;
  /** Per buffer a checkpoint submits home. */
  checkpointWriteNs: number;
  /** Copying one block (frozen data). */
  frozenCopyNs: number;
  /** kjournald, fixed part of a commit. */
  commitNs: number;
  /** Interrupt and completion of one block of a log write; taken from whoever runs. */
  logIoNs: number;
  /** The same for a block written home or a block of file data, request handling included. */
  homeIoNs: number;
  /** Converting what a write of file data left unwritten, once its I/O has ended. */
  conversionNs: number;
}

/** What a policy declares once; the core's defaults are mainline jbd2. */
export interface PolicySettings {
  /** Commit-time cleanup: "rule" = what the cleanup rule says, else forced. */
  commitCleanup: "rule" | "stop" | "skip";
  /** Clean the checkpoint lists once more just before a commit samples the new tail. */
  cleanBeforeTail: boolean;
  /** Share of a maximum transaction at which the running one is closed (0.05 ... 1). */
  closeShare: number;
  /** Share of a maximum transaction a commit must free to move the tail (0 ... 4). */
  tailShare: number;
  /** Log space never runs out (the ceiling of every chart; not a policy one can ship). */
  infiniteLog: boolean;
  /** kjournald submits every clean-able dirty checkpoint buffer home at the end of each commit. */
  writeHomeAtCommitEnd: boolean;
}

export interface WorldConfig {
  seed: number;
  rule: Rule;
  journalBlocks: number;
  /** Maximum transaction = journalBlocks / this: 4 up to Linux 6.10, 3 since 6.11. */
  maxTransactionDivisor: 3 | 4;
  /** Tags per descriptor block: 253 with 4 KiB blocks, 64bit and csum v3. */
  tagsPerDescriptor: number;
  /**
   * Credits reserved with each write of file data for the handle that converts its unwritten
   * extents when the I/O has ended (dioread_nolock, ext4's default since Linux 5.6): 0 to half a
   * maximum transaction. 0: data is ordered instead, the commit waits for its I/O.
   */
  conversionCredits: number;
  commitIntervalNs: number;
  /** Handle threads, 1 ... 256. */
  threads: number;
  cpus: number;
  /** Base slice of the scheduler (EEVDF): 0.75 ms x (1 + log2 min(cpus, 8)) in Linux 6.12. */
  quantumNs: number;
  /** Period of the scheduler's tick: 1 s / CONFIG_HZ. A used-up slice is noticed at a tick. */
  tickNs: number;
  cpu: CpuCosts;
  device: DeviceProfile;
  /** Flusher wake-up period and age at which it writes. */
  dirtyWritebackNs: number;
  dirtyExpireNs: number;
  /** When the flusher wakes up first, 0 ... dirtyWritebackNs; then every dirtyWritebackNs. */
  flusherPhaseNs: number;
  /**
   * Page cache size; the flusher runs continuously above backgroundRatio, writers sleep above
   * (background+dirty)/2.
   */
  memoryBlocks: number;
  backgroundRatio: number;
  dirtyRatio: number;
  /**
   * Memory pressure: the shrinker runs every this many ns (0 = never) over at most shrinkScan
   * buffers.
   */
  shrinkIntervalNs: number;
  shrinkScan: number;
  policy: PolicySettings;
  /**
   * Decision points the policy wants to hear of (bit set of DecisionPoint); 0 = the core never
   * stops for a policy.
   */
  decisionMask: number;
}

/**
 * Kinds of access inside a handle: get_write_access + dirty | get_create_access | get_undo_access
 * | forget (revokes).
 */
export const Access = { Write: 0, Create: 1, Undo: 2, Forget: 3 } as const;
export type Access = (typeof Access)[keyof typeof Access];

/** Flags of a handle record. */
export const HandleFlag = { None: 0, Sync: 1 } as const;

/**
 * What a workload writes into. One call of `Workload.fill` appends whole records for one thread
 * until `full` is true or the thread's work is over (`end`). Block numbers are file-system blocks
 * (0 ... 2^29-1), inode numbers any u32 >= 1.
 */
export interface HandleSink {
  /** True when no further record should be begun in this fill. */
  readonly full: boolean;
  /**
   * Simulated time at this fill. Records run later than that, unless the thread's last record was
   * an iteration() and nothing followed it: then the fill happens when the barrier has been
   * passed.
   */
  readonly timeNs: number;
  /**
   * Begins a handle. thinkNs: CPU time of the task before it starts; cpuNs: CPU time inside it;
   * inode: the file it changes (0 = none; fsync needs it).
   */
  handle(credits: number, thinkNs: number, cpuNs: number, inode: number, flags: number): void;
  /** One access of the handle begun last. At most 4096 per handle. */
  access(kind: Access, block: number): void;
  /**
   * The handle begun last also dirties `blocks` file pages of its inode (delayed allocation). When
   * they are written, the writer runs a handle of `credits` credits and `cpuNs` with the accesses
   * given by the following allocAccess calls (<= 8). dataBlock: where the data will be on disk.
   */
  data(blocks: number, dataBlock: number, credits: number, cpuNs: number): void;
  allocAccess(kind: Access, block: number): void;
  /** fsync(inode): write its pages, wait for the commit that covers it. */
  fsync(inode: number, thinkNs: number): void;
  /** sync(): write every dirty page, commit, wait. */
  sync(thinkNs: number): void;
  /** Barrier of all threads that ends an iteration; `files` of this thread count for its sample. */
  iteration(files: number): void;
  /** The thread is done. */
  end(): void;
}

/**
 * A stream of handle records for `threads` threads; fill() must append at least one record or call
 * end().
 */
export interface Workload {
  readonly name: string;
  readonly threads: number;
  fill(thread: number, sink: HandleSink): void;
}

/** Where a policy is asked. */
export const DecisionPoint = {
  CommitStarting: 1,
  CommitFinished: 2,
  HomeWriteCompleted: 4,
  FreeBelow: 8,
  Tick: 16,
  MemoryPressure: 32,
} as const;
export type DecisionPoint = (typeof DecisionPoint)[keyof typeof DecisionPoint];

/** Read-only snapshot at a decision point. Shapes: numbers; units in the name, blocks otherwise. */
export interface PolicyView {
  readonly point: DecisionPoint;
  readonly timeNs: number;
  readonly journalBlocks: number;
  readonly maxTransaction: number;
  readonly free: number;
  /** max(0, free - 32 - outstanding credits of the committing transaction) */
  readonly spaceLeft: number;
  readonly runningBlocks: number;
  readonly runningAgeNs: number;
  readonly committing: boolean;
  readonly checkpointTransactions: number;
  readonly checkpointBlocks: number;
  /** Of the oldest checkpoint transaction. */
  readonly oldestBlocks: number;
  readonly oldestRejoined: number;
  readonly oldestDirty: number;
  readonly oldestClean: number;
  readonly dirtyBuffers: number;
  /** Blocks per second written to the log, over the last commits. */
  readonly logFillRate: number;
  readonly commitDurationNs: number;
  readonly deviceQueue: number;
  /** Commands of this policy still queued or being worked on. */
  readonly backgroundPending: number;
  /** Blocks the tail could move by now (0 = nothing to gain). */
  readonly tailGain: number;
}

/**
 * What a policy may answer; any number of calls per decision, in order. Illegal arguments throw
 * PolicyError.
 */
export interface PolicyAnswers {
  /**
   * kjournald drops clean checkpoint buffers (mode as cleanup), looking at no more than `budget`
   * buffers.
   */
  dropClean(mode: "stop" | "skip", budget: number): void;
  /** Asks for a commit of the running transaction; nobody waits. */
  requestCommit(): void;
  /**
   * The background worker writes home up to `buffers` dirty buffers of the oldest transactions,
   * never waiting for a commit.
   */
  writeHome(buffers: number): void;
  /**
   * The background worker runs one jbd2_log_do_checkpoint with all its waits, holding the
   * checkpoint mutex. When it has the mutex it looks again, as __jbd2_log_wait_for_space does:
   * with at least `whileBelow` blocks of space left there is nothing to do. Default: always.
   */
  checkpointOldest(whileBelow?: number): void;
  /**
   * Moves the tail if that frees at least `minFreed` blocks: flush + FUA, by kjournald at
   * CommitFinished, else by the worker.
   */
  moveTail(minFreed: number): void;
  /**
   * FreeBelow fires once when a handle starts with less than this space left (blocks); re-armed by
   * calling again.
   */
  armFreeBelow(blocks: number): void;
  /** Tick fires once after this time. */
  armTick(ns: number): void;
  /** Every handle start waits this long from now on (0 = off, at most 100 ms). */
  delayHandles(ns: number): void;
}

/** A policy as the core drives it. `start` is called once before the first handle. */
export interface PolicyDriver {
  readonly settings: PolicySettings;
  readonly decisionMask: number;
  start(view: PolicyView, answers: PolicyAnswers): void;
  decide(view: PolicyView, answers: PolicyAnswers): void;
}
