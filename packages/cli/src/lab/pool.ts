import { availableParallelism } from "node:os";
import { loadCore } from "@jbdlab/core-wasm";
import { Piscina } from "piscina";
import type { RunOptions } from "./options.js";
import type { RunResult } from "./result.js";
import type { Failure } from "./sweep-result.js";

/** What every worker gets once. */
export interface Shared {
  /** The compiled core; structured clone shares its code. */
  readonly module: WebAssembly.Module;
  /** [0] not zero: stop; [slot]: handles done by the run of that slot. */
  readonly progress: Int32Array<SharedArrayBuffer>;
}

export type Outcome =
  | { readonly kind: "done"; readonly result: RunResult }
  | { readonly kind: "failed"; readonly failure: Failure }
  | { readonly kind: "aborted" };

export interface PoolOptions {
  /** Worker threads; default: the machine's CPUs. */
  readonly workers?: number;
  readonly signal?: AbortSignal;
  /** Called in the order in which runs end. */
  readonly onOutcome: (outcome: Outcome, index: number) => void;
  /** Called about five times a second with the handles done by each run. */
  readonly onProgress?: (handles: Int32Array) => void;
}

const PROGRESS_MS = 200;

/**
 * Runs every job in worker threads, in the order given; settles when all have ended or the signal
 * has stopped them.
 */
export async function runAll(jobs: readonly RunOptions[], options: PoolOptions): Promise<void> {
  const progress = new Int32Array(new SharedArrayBuffer(4 * (jobs.length + 1)));
  const shared: Shared = { module: await loadCore(), progress };
  const threads = Math.max(1, Math.min(options.workers ?? availableParallelism(), jobs.length));
  const pool = new Piscina({
    filename: new URL("./worker.js", import.meta.url).href,
    workerData: shared,
    minThreads: threads,
    maxThreads: threads,
  });
  const stop = () => Atomics.store(progress, 0, 1);
  options.signal?.addEventListener("abort", stop);
  if (options.signal?.aborted) stop();
  const timer = setInterval(() => options.onProgress?.(progress.subarray(1)), PROGRESS_MS);
  try {
    await Promise.all(
      jobs.map(async (job, index) => {
        const outcome: Outcome = await pool.run({ slot: index + 1, options: job });
        options.onOutcome(outcome, index);
      }),
    );
  } finally {
    clearInterval(timer);
    options.signal?.removeEventListener("abort", stop);
    await pool.destroy();
  }
}
