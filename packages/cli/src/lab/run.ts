import { loadCore, Simulation } from "@jbdlab/core-wasm";
import { checkRunOptions } from "./check-options.js";
import { type RunOptions, replayRun } from "./options.js";
import { type RunResult, toResult } from "./result.js";
import { type ResolvedWorld, resolveWorld } from "./world.js";

export interface RunHooks {
  /** Called now and then with the handles done. */
  readonly onProgress?: (handles: number) => void;
  /** Stops the run when it says so. */
  readonly signal?: { readonly aborted: boolean };
}

/** Runs a resolved world in a compiled core; undefined when the signal stopped it. */
export function runWorld(
  module: WebAssembly.Module,
  world: ResolvedWorld,
  hooks: RunHooks = {},
): RunResult | undefined {
  const started = performance.now();
  const workload = world.makeWorkload();
  const stats = Simulation.create(module, world.config).run(workload, world.makePolicy(), hooks);
  if (hooks.signal?.aborted && !stats.complete) return undefined;
  return toResult(world, stats, {
    wallMs: performance.now() - started,
    replay: replayRun(world.options),
    ...(workload.consumed === undefined ? {} : { consumed: workload.consumed }),
  });
}

let core: Promise<WebAssembly.Module> | undefined;

/**
 * Runs one world in this thread (it blocks the event loop while it runs).
 *
 * Throws InputError, PolicyError, WorkloadError or ImportError when an option makes no sense,
 * CoreError when workload or policy break the core's contract. An aborted journal is no error but
 * a verdict.
 */
export async function run(options: RunOptions = {}): Promise<RunResult> {
  checkRunOptions(options);
  core ??= loadCore();
  const result = runWorld(await core, await resolveWorld(options));
  if (result === undefined) throw new Error("a run without a signal was stopped");
  return result;
}
