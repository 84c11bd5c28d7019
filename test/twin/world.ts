import type {
  PolicyDriver,
  PolicySettings,
  RunStats,
  Verdict,
  Workload,
  WorldConfig,
} from "@jbdlab/core-wasm";
import { Clock } from "./clock.js";
import { kjournald } from "./commit.js";
import { completed } from "./completion.js";
import { Converter } from "./conversion.js";
import { Device } from "./device.js";
import { Journal } from "./journal.js";
import { Judge, type JudgeMode } from "./judge.js";
import { Inodes, Pages } from "./pages.js";
import { Plug } from "./plug.js";
import { Policy, Worker } from "./policy.js";
import { Records } from "./records.js";
import { Scheduler } from "./scheduler.js";
import { type Buffer, type Steps, type Task, TwinError, type TwinEvent } from "./state.js";
import { Counters, report } from "./stats.js";
import { Threads } from "./threads.js";
import { Flusher, Shrinker } from "./writeback.js";

/** What follows from the configuration; blocks and pages. */
export interface Limits {
  readonly maxTransaction: number;
  /** Credits of a new transaction: commit record and descriptors. */
  readonly overhead: number;
  /** Outstanding credits at which a transaction is closed. */
  readonly close: number;
  /** What a commit has to free to move the tail. */
  readonly tailMinimum: number;
  /** Commit-time cleanup goes on after a busy buffer. */
  readonly skipsBusy: boolean;
  /** A rejoined buffer is busy. */
  readonly checksRejoined: boolean;
  readonly backgroundPages: number;
  readonly freerunPages: number;
}

function limitsOf(config: WorldConfig): Limits {
  const { rule, policy, memoryBlocks, backgroundRatio, dirtyRatio } = config;
  const maxTransaction = Math.floor(config.journalBlocks / config.maxTransactionDivisor);
  const skips = { rule: rule === "v1" || rule === "v2", stop: false, skip: true };
  return {
    maxTransaction,
    overhead: 1 + Math.ceil(maxTransaction / config.tagsPerDescriptor),
    close: Math.floor(maxTransaction * policy.closeShare),
    tailMinimum: Math.floor(maxTransaction * policy.tailShare),
    skipsBusy: skips[policy.commitCleanup],
    checksRejoined: rule !== "v2" && rule !== "v3",
    backgroundPages: Math.floor(memoryBlocks * backgroundRatio),
    freerunPages: Math.floor(memoryBlocks * (backgroundRatio + dirtyRatio) * 0.5),
  };
}

export interface TwinOptions {
  /** "replay" looks at every block at every cut; "index" is for runs of millions of handles. */
  readonly judge?: JudgeMode;
  readonly onEvent?: (event: TwinEvent) => void;
}

export class World {
  readonly config: WorldConfig;
  readonly limits: Limits;
  readonly counters = new Counters();
  readonly clock = new Clock();
  readonly scheduler: Scheduler;
  readonly judge: Judge;
  readonly device: Device;
  readonly journal: Journal;
  readonly plug: Plug;
  readonly pages: Pages;
  readonly inodes: Inodes;
  readonly policy: Policy;
  readonly flushing: Flusher;
  readonly working: Worker;
  readonly converting: Converter;
  readonly kjournald: Task;
  readonly flusher: Task;
  readonly worker: Task;
  readonly kswapd: Task;
  readonly converter: Task;
  readonly #threads: Threads;
  readonly #records: Records;
  readonly #buffers = new Map<number, Buffer>();

  constructor(
    config: WorldConfig,
    workload: Workload,
    driver: PolicyDriver | undefined,
    options: TwinOptions,
  ) {
    this.config = config;
    this.limits = limitsOf(config);
    this.clock.listener = options.onEvent;
    this.scheduler = new Scheduler(this.clock, this.counters, config);
    this.judge = new Judge(this.clock, config, options.judge ?? "replay");
    this.device = new Device(this.clock, this.scheduler, config.device, config.seed, {
      flushIssued: () => this.judge.flushIssued(),
      flushed: (mark) => this.judge.flushed(mark),
      completed: (request) => completed(this, request),
    });
    this.journal = new Journal(this);
    this.plug = new Plug(this);
    this.pages = new Pages(this);
    this.inodes = new Inodes(this);
    this.policy = new Policy(this, driver);
    this.flushing = new Flusher(this);
    this.working = new Worker(this);
    this.converting = new Converter(this);
    this.#records = new Records(workload, this.clock);
    this.#threads = new Threads(this, this.#records);
    const shrinker = new Shrinker(this);
    const { threads } = config;
    const task = (id: number, body: (task: Task) => Steps) =>
      this.scheduler.task(id, id < threads, body);
    this.kjournald = task(threads, (t) => kjournald(this, t));
    this.flusher = task(threads + 1, (t) => this.flushing.main(t));
    this.scheduler.flusher = this.flusher;
    this.worker = task(threads + 2, (t) => this.working.main(t));
    this.kswapd = task(threads + 3, (t) => shrinker.main(t));
    this.converter = task(threads + 4, (t) => this.converting.main(t));
    this.flushing.arm(config.flusherPhaseNs);
    shrinker.arm();
    for (let id = 0; id < threads; id++) {
      this.scheduler.wake(task(id, (t) => this.#threads.main(t)));
    }
  }

  /** The buffer of a block, made when there is none. */
  bufferOf(block: number): Buffer {
    let b = this.#buffers.get(block);
    if (b === undefined) {
      b = {
        block,
        dirty: false,
        jbddirty: false,
        locked: false,
        shadow: false,
        frozen: false,
        list: "none",
        modified: false,
        freed: false,
        revoked: false,
        pageDirty: false,
        transaction: undefined,
        next: undefined,
        checkpoint: undefined,
        waiters: [],
        version: 0,
      };
      this.#buffers.set(block, b);
    }
    return b;
  }
  roleOf(task: Task): "handle" | "flusher" | "worker" | "kjournald" {
    if (task.isThread) return "handle";
    if (task === this.flusher) return "flusher";
    return task === this.worker ? "worker" : "kjournald";
  }

  run(): RunStats {
    this.policy.start();
    let aborted = false;
    try {
      while (this.#threads.alive > 0) {
        if (!this.clock.step()) throw new TwinError("stuck", "no event is left");
        if (this.#threads.alive > 0) this.policy.askWaiting();
      }
    } catch (error) {
      if (!(error instanceof TwinError) || error.code !== "journal-aborted") throw error;
      aborted = true;
    }
    return this.#report(aborted);
  }
  #report(aborted: boolean): RunStats {
    const { judge, clock, counters, device } = this;
    counters.flushes = device.flushes;
    const windows = judge.windows;
    let verdict: Verdict = windows.length > 0 ? "loses-acknowledged-data" : "consistent";
    if (judge.violation !== "") verdict = "violates-write-ahead";
    if (aborted) verdict = "journal-aborted";
    const openNs = (w: { fromNs: number; toNs: number }) =>
      (w.toNs < 0 ? clock.now : w.toNs) - w.fromNs;
    return report(counters, {
      complete: !aborted && this.#records.complete,
      simulatedSeconds: clock.now / 1e9,
      maxTransactionBlocks: this.limits.maxTransaction,
      crash: {
        verdict,
        cuts: judge.cuts,
        lossWindowCount: windows.length,
        lossWindowSeconds: windows.reduce((sum, w) => sum + openNs(w), 0) / 1e9,
        lossWindows: windows.slice(0, 64),
        violation: judge.violation,
      },
      digest: clock.digest,
    });
  }
}

/** Runs a workload in the twin; throws TwinError where the core throws CoreError. */
export function runTwin(
  config: WorldConfig,
  workload: Workload,
  driver?: PolicyDriver,
  options: TwinOptions = {},
): RunStats {
  const policy: Partial<{ policy: PolicySettings; decisionMask: number }> =
    driver === undefined ? {} : { policy: driver.settings, decisionMask: driver.decisionMask };
  return new World({ ...config, ...policy }, workload, driver, options).run();
}
