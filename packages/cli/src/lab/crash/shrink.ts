import type { WorldConfig } from "@jbdlab/core-wasm";
import type { CrashStep, CrashWorld } from "./crash-world.js";

type Fails = (world: CrashWorld) => boolean;

/** Runs a shrinking may take. */
const MOST_RUNS = 4000;

/**
 * Makes a failing world smaller as long as it fails for the same cause: fewer threads, steps and
 * accesses, a plainer machine.
 */
export function shrink(world: CrashWorld, fails: Fails): CrashWorld {
  let runs = 0;
  const still: Fails = (candidate) => runs++ < MOST_RUNS && fails(candidate);
  let best = world;
  for (let size = Number.POSITIVE_INFINITY; sizeOf(best) < size; ) {
    size = sizeOf(best);
    best = fewerThreads(best, still);
    best = fewerSteps(best, still);
    best = fewerAccesses(best, still);
    best = plainer(best, still);
  }
  return best;
}

const sizeOf = ({ threads }: CrashWorld) =>
  threads.flat().reduce((sum, step) => sum + 1 + accessesOf(step), 0);

function accessesOf(step: CrashStep): number {
  return step.do === "handle" ? step.accesses.length + (step.data?.accesses.length ?? 0) : 0;
}

function withThreads(world: CrashWorld, threads: CrashWorld["threads"]): CrashWorld {
  return { ...world, threads, config: { ...world.config, threads: threads.length } };
}

function fewerThreads(world: CrashWorld, fails: Fails): CrashWorld {
  let best = world;
  for (let i = best.threads.length - 1; i >= 0 && best.threads.length > 1; i--) {
    const smaller = withThreads(
      best,
      best.threads.filter((_, thread) => thread !== i),
    );
    if (fails(smaller)) best = smaller;
  }
  return best;
}

/** Delta debugging: ever smaller pieces of each thread's steps are left out. */
function fewerSteps(world: CrashWorld, fails: Fails): CrashWorld {
  let best = world;
  for (const thread of best.threads.keys()) {
    let piece = Math.ceil((best.threads[thread]?.length ?? 0) / 2);
    while (piece >= 1) {
      let from = 0;
      while (from < (best.threads[thread]?.length ?? 0)) {
        const steps = best.threads[thread] ?? [];
        const left = [...steps.slice(0, from), ...steps.slice(from + piece)];
        const smaller = withThreads(best, best.threads.with(thread, left));
        if (fails(smaller)) best = smaller;
        else from += piece;
      }
      piece = Math.floor(piece / 2);
    }
  }
  return best;
}

function fewerAccesses(world: CrashWorld, fails: Fails): CrashWorld {
  let best = world;
  for (const thread of best.threads.keys()) {
    for (let i = 0; i < (best.threads[thread]?.length ?? 0); i++) {
      for (let a = 0; ; ) {
        const steps = best.threads[thread] ?? [];
        const step = steps[i];
        if (step?.do !== "handle" || a >= step.accesses.length) break;
        const accesses = step.accesses.filter((_, index) => index !== a);
        const smaller = withThreads(
          best,
          best.threads.with(thread, steps.with(i, { ...step, accesses })),
        );
        if (fails(smaller)) best = smaller;
        else a++;
      }
    }
  }
  return best;
}

/** A machine in which less happens at random. */
const PLAINER: readonly ((config: WorldConfig) => WorldConfig)[] = [
  (config) => ({ ...config, shrinkIntervalNs: 0 }),
  (config) => ({ ...config, device: { ...config.device, jitterPermille: 0 } }),
  (config) => ({
    ...config,
    device: { ...config.device, seekMinNs: 0, seekMaxNs: 0, rotationNs: 0 },
  }),
  (config) => ({ ...config, conversionCredits: 0 }),
  (config) => ({ ...config, memoryBlocks: 1 << 20 }),
  (config) => ({ ...config, commitIntervalNs: 5e9 }),
  (config) => ({ ...config, cpus: 8 }),
];

function plainer(world: CrashWorld, fails: Fails): CrashWorld {
  let best = world;
  for (const change of PLAINER) {
    const smaller = { ...best, config: change(best.config) };
    if (JSON.stringify(smaller.config) !== JSON.stringify(best.config) && fails(smaller)) {
      best = smaller;
    }
  }
  return best;
}
