import {
  CoreError,
  type PolicyDriver,
  type RunStats,
  Simulation,
  type TraceEvent,
} from "@jbdlab/core-wasm";
import { instantiate, loadPolicy } from "@jbdlab/policies";
import { type CrashWorld, crashWorkload } from "./crash-world.js";

/** Runs small worlds; policies are loaded once. */
export class WorldJudge {
  readonly #module: WebAssembly.Module;
  readonly #specs = new Map<string, Awaited<ReturnType<typeof loadPolicy>>>();

  constructor(module: WebAssembly.Module) {
    this.#module = module;
  }

  /** Loads a policy. Throws PolicyError. */
  async load(policy: string): Promise<void> {
    if (!this.#specs.has(policy)) this.#specs.set(policy, await loadPolicy(policy));
  }

  #driver(world: CrashWorld): PolicyDriver & { readonly journalFactor: number } {
    const spec = this.#specs.get(world.policy);
    if (spec === undefined) throw new Error(`policy ${world.policy} was not loaded`);
    return instantiate(spec, { journalBlocks: world.config.journalBlocks });
  }

  /**
   * Runs a world; undefined when it is no world: a handle that no transaction of this log can hold,
   * credits that a shrunk step no longer covers.
   */
  run(world: CrashWorld, onEvent?: (event: TraceEvent) => void): RunStats | undefined {
    try {
      const driver = this.#driver(world);
      const journalBlocks = Math.floor(world.config.journalBlocks * driver.journalFactor);
      return Simulation.create(this.#module, { ...world.config, journalBlocks }).run(
        crashWorkload(world.threads),
        driver,
        onEvent === undefined ? {} : { onEvent },
      );
    } catch (error) {
      if (error instanceof CoreError && error.code !== "assert") return undefined;
      throw error;
    }
  }
}
