import { checkConfig, writeConfig } from "./config.js";
import type { PolicyDriver, Workload, WorldConfig } from "./contract.js";
import { CoreError, coreError } from "./errors.js";
import type { RunStats } from "./results.js";
import { RecordSink } from "./sink.js";
import { readStats } from "./stats.js";
import { type TraceEvent, takeTrace } from "./trace.js";
import { CoreAnswers, CoreView } from "./view.js";
import { Core, Reason } from "./wasm.js";

export interface RunOptions {
  /** Called with the number of handles done, at most every 65536 handles. */
  onProgress?: (handles: number) => void;
  /** Stops the run after this many handles; RunStats.complete is false then. */
  stopAfterHandles?: number;
  /** Told all that happens, in order; a traced run is slower, its result is the same. */
  onEvent?: (event: TraceEvent) => void;
  /** Polled with onProgress; when aborted the run stops and its statistics so far are returned. */
  signal?: { readonly aborted: boolean };
}

const PROGRESS_STEP = 65536;
const idle = new WeakMap<WebAssembly.Module, Core>();

/**
 * One world. `run` may be called any number of times; each call starts anew and the same input
 * gives the same bytes.
 */
export class Simulation {
  readonly #module: WebAssembly.Module;
  readonly #config: WorldConfig;

  private constructor(module: WebAssembly.Module, config: WorldConfig) {
    this.#module = module;
    this.#config = config;
  }

  /** Throws CoreError (config) that names the field when the config makes no world. */
  static create(module: WebAssembly.Module, config: WorldConfig): Simulation {
    checkConfig(config);
    return new Simulation(module, structuredClone(config));
  }

  /**
   * Runs the workload to its end. Synchronous. Throws CoreError when the workload or the policy
   * breaks the contract or a limit is passed; an aborted journal is no error but a verdict.
   */
  run(workload: Workload, policy?: PolicyDriver, options: RunOptions = {}): RunStats {
    if (workload.threads !== this.#config.threads) {
      const found = `the workload has ${workload.threads}`;
      throw new CoreError("config", `threads: the world has ${this.#config.threads}, ${found}`);
    }
    const core = idle.get(this.#module) ?? new Core(this.#module);
    idle.delete(this.#module);
    const config = policy
      ? { ...this.#config, policy: policy.settings, decisionMask: policy.decisionMask }
      : this.#config;
    checkConfig(config);
    writeConfig(core, config);
    if (core.exports.reset() === 0) throw coreError(core.exports.errorCode(), 0);
    const stats = drive(core, workload, policy, options);
    idle.set(this.#module, core);
    return stats;
  }
}

function drive(
  core: Core,
  workload: Workload,
  policy: PolicyDriver | undefined,
  options: RunOptions,
): RunStats {
  const sinks = Array.from({ length: workload.threads }, () => new RecordSink());
  const view = new CoreView(core);
  const answers = new CoreAnswers(core);
  if (options.stopAfterHandles !== undefined) core.exports.setStopAfter(options.stopAfterHandles);
  const { onEvent } = options;
  core.exports.setTracing(onEvent !== undefined);
  policy?.start(view.refresh(), answers);
  let reported = 0;
  while (true) {
    const reason = core.exports.runUntilReason();
    if (onEvent !== undefined) takeTrace(core, onEvent);
    if (reason === Reason.Trace) continue;
    if (reason === Reason.NeedHandles) {
      fill(core, workload, sinks);
      if (options.onProgress === undefined && options.signal === undefined) continue;
      const handles = core.stat("ST_HANDLES");
      if (handles - reported < PROGRESS_STEP) continue;
      reported = handles;
      options.onProgress?.(handles);
      if (options.signal?.aborted) return readStats(core, false, false);
    } else if (reason === Reason.Decision) {
      policy?.decide(view.refresh(), answers);
    } else if (reason === Reason.Done) {
      return readStats(
        core,
        sinks.every((sink) => sink.ended),
        false,
      );
    } else {
      const error = coreError(core.exports.errorCode(), core.exports.errorArgument());
      if (error.code === "journal-aborted") return readStats(core, false, true);
      throw error;
    }
  }
}

function fill(core: Core, workload: Workload, sinks: readonly RecordSink[]): void {
  const thread = core.exports.hungryThread();
  const sink = sinks[thread];
  if (sink === undefined) throw new CoreError("assert", `no thread ${thread}`);
  sink.begin(core.records(thread), core.exports.simulatedNs());
  workload.fill(thread, sink);
  const words = sink.finish();
  if (words === 0) {
    const found = "an empty fill";
    throw new CoreError(
      "workload",
      `${workload.name}, thread ${thread}: expected records or end(), found ${found}`,
    );
  }
  core.exports.feed(words);
}
