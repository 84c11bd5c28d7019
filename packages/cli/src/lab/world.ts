import type { PolicyDriver, WorldConfig } from "@jbdlab/core-wasm";
import { instantiate, loadPolicy, nearest } from "@jbdlab/policies";
import {
  Geometry,
  HANDLES_PARAMETERS,
  type OpenedWorkload,
  parseWorkload,
  scaleToWraps,
  type WorkloadContext,
  type WorkloadSpec,
} from "@jbdlab/workloads";
import { type ChosenDevice, parseDevice } from "./devices.js";
import { InputError } from "./errors.js";
import type { RunOptions } from "./options.js";
import { computed, type Fact, given, valuesOf } from "./provenance.js";
import { SETTINGS, type Setting, type SettingFacts } from "./settings.js";
import { BLOCK_BYTES, formatJournal, MAX_JOURNAL_BLOCKS, parseJournal } from "./sizes.js";
import { parseBytes } from "./units.js";

export const DEFAULT_JOURNAL = "64MiB";
export const DEFAULT_WRAPS = 3;

/** A world made definite: all that a run needs, and where each of its figures comes from. */
export interface ResolvedWorld {
  /** As given; with `policy` and `workload` in their canonical spelling they repeat the run. */
  readonly options: RunOptions;
  readonly policy: string;
  readonly workload: string;
  readonly setting: string;
  /** The journal that was asked for; a policy may build a larger one. */
  readonly askedJournalBlocks: number;
  readonly config: WorldConfig;
  readonly provenance: Readonly<Record<string, Fact<unknown>>>;
  makeWorkload(): OpenedWorkload;
  makePolicy(): PolicyDriver;
}

/** The setting of this name. Throws InputError that names the nearest. */
function settingNamed(name: string): Setting {
  const setting = SETTINGS.find((each) => each.name === name);
  if (setting === undefined) {
    const near = nearest(
      name,
      SETTINGS.map((each) => each.name),
    );
    throw new InputError(`unknown setting ${JSON.stringify(name)}; did you mean ${near}?`);
  }
  return setting;
}

/** kernel/sched/fair.c: the base slice grows with the logarithm of the CPUs, at most 8 of them. */
function schedulerSlice(cpus: number): Fact {
  const slice = 750000 * (1 + Math.floor(Math.log2(Math.min(cpus, 8))));
  return computed(slice, "base slice of Linux 6.12, 0.75 ms x (1 + log2 min(cpus, 8))");
}

/** A setting's figures with the options that override them. */
function settingFacts(setting: Setting, options: RunOptions): SettingFacts {
  const { cpus, commitSeconds, maxTransactionDivisor } = options;
  return {
    ...setting.facts,
    ...(cpus === undefined ? {} : { cpus: given(cpus, "--cpus"), quantumNs: schedulerSlice(cpus) }),
    ...(commitSeconds === undefined
      ? {}
      : { commitIntervalNs: given(Math.round(commitSeconds * 1e9), "--commit-seconds") }),
    ...(maxTransactionDivisor === undefined
      ? {}
      : { maxTransactionDivisor: given(maxTransactionDivisor, "--max-transaction-divisor") }),
  };
}

function deviceOf(setting: Setting, options: RunOptions): ChosenDevice {
  const device = parseDevice(options.device ?? setting.device);
  if (options.flushMs === undefined) return device;
  const flushNs = given(Math.round(options.flushMs * 1e6), "--flush-ms");
  return {
    text: device.text,
    facts: { ...device.facts, flushNs },
    profile: { ...device.profile, flushNs: flushNs.value },
  };
}

/** Work and memory of a run, spelled out so that every row of a sweep gets the same. */
export interface PinnedWork {
  /** Text with the amount of work in it. */
  readonly workload: string;
  readonly memory: Fact;
  /** Handles the workload writes; not the flusher's own. Undefined when nobody had to count. */
  readonly handles: number | undefined;
}

/**
 * Fixes how much a workload does on a log of this size. Counts its work by running the generator
 * without a world, unless both work and memory are given.
 */
export function pinWork(options: RunOptions, askedBlocks: number, logBlocks: number): PinnedWork {
  const setting = settingNamed(options.setting ?? "default");
  const spec = parseWorkload(
    withCpu(options.workload ?? setting.workload(askedBlocks), setting.workloadCpu),
  );
  const given = givenMemory(options, setting);
  if (given !== undefined && spec.fixedWork) {
    return { workload: pinnedText(spec, undefined), memory: given, handles: undefined };
  }
  const context = contextOf(options, setting, logBlocks);
  const scaled = scaleToWraps(spec, context, options.wraps ?? DEFAULT_WRAPS);
  const { dataBlocks, loggedBlocks, handles } = scaled.measure;
  const half = Math.max(1, Math.ceil((dataBlocks > 0 ? dataBlocks : loggedBlocks) / 2));
  const memory = given ?? { ...setting.memory, value: half };
  return { workload: pinnedText(scaled.spec, context), memory, handles };
}

/** The workload's text with the machine's CPU in it where the workload knows of one. */
function withCpu(text: string, cpu: Setting["workloadCpu"]): string {
  const { definition, name } = parseWorkload(text);
  const known = definition?.parameters ?? (name === "handles" ? HANDLES_PARAMETERS : {});
  const added = Object.entries(cpu).filter(([key]) => key in known && !text.includes(`,${key}=`));
  return [text, ...added.map(([key, value]) => `${key}=${value}`)].join(",");
}

function givenMemory(options: RunOptions, setting: Setting): Fact | undefined {
  if (options.memory !== undefined) {
    const blocks = Math.floor(parseBytes(options.memory, "--memory") / BLOCK_BYTES);
    if (blocks < 1) throw new InputError(`--memory ${options.memory}: expected at least one block`);
    return given(blocks, "--memory");
  }
  const { value, source, note } = setting.memory;
  return value === "half-of-data" ? undefined : { value, source, note };
}

/** The workload's text with the amount of work in it, even where that is the default. */
function pinnedText(spec: WorkloadSpec, context: WorkloadContext | undefined): string {
  const { definition, parameters, text } = spec;
  if (definition !== undefined && parameters !== undefined) {
    const work = `,${definition.work}=`;
    return text.includes(work) ? text : `${text}${work}${parameters[definition.work]}`;
  }
  if (spec.fixedWork || context === undefined) return text;
  const { repetitions } = spec.create(context) as { repetitions?: number };
  return repetitions === undefined ? text : `${text},repeat=${repetitions}`;
}

function contextOf(options: RunOptions, setting: Setting, logBlocks: number): WorkloadContext {
  const divisor = options.maxTransactionDivisor ?? setting.facts.maxTransactionDivisor.value;
  return {
    seed: options.seed ?? 1,
    geometry: new Geometry({ journalBlocks: logBlocks }),
    journalBlocks: logBlocks,
    maxTransactionBlocks: Math.floor(logBlocks / divisor),
    wraps: options.wraps ?? DEFAULT_WRAPS,
    ...(options.threads === undefined ? {} : { threads: options.threads }),
  };
}

/** Where in its period the flusher stands when the run begins: nobody knows, so the seed says. */
function flusherPhase({ seed = 1, firstWritebackMs }: RunOptions, periodNs: number): number {
  if (firstWritebackMs !== undefined) return Math.round(firstWritebackMs * 1e6);
  const mixed = Math.imul(seed ^ 0x5bd1e995, 0x9e3779b1) >>> 0;
  return Math.floor((mixed / 2 ** 32) * periodNs);
}

/** A policy of these options, and the log it wants for the journal that was asked for. */
export async function resolvePolicy(text: string, askedBlocks: number) {
  const spec = await loadPolicy(text);
  const make = () => instantiate(spec, { journalBlocks: askedBlocks });
  const driver = make();
  const logBlocks = Math.floor(askedBlocks * driver.journalFactor);
  if (logBlocks > MAX_JOURNAL_BLOCKS) {
    const size = formatJournal(askedBlocks);
    throw new InputError(
      `policy ${spec.text}: a journal of ${driver.journalFactor} x ${size} is above the ` +
        `largest, 16GiB`,
    );
  }
  return { text: spec.text, driver, make, logBlocks };
}

/**
 * Makes options definite. Throws InputError, PolicyError, WorkloadError or ImportError (one line
 * each) when they make no sense.
 */
export async function resolveWorld(options: RunOptions = {}): Promise<ResolvedWorld> {
  const setting = settingNamed(options.setting ?? "default");
  const askedBlocks = parseJournal(options.journal ?? DEFAULT_JOURNAL);
  const policy = await resolvePolicy(options.policy ?? "jbd2", askedBlocks);
  const { driver, logBlocks } = policy;
  const device = deviceOf(setting, options);
  const facts = settingFacts(setting, options);
  const pinned = pinWork(options, askedBlocks, logBlocks);
  const spec = parseWorkload(pinned.workload);
  const context = contextOf(options, setting, logBlocks);
  let first: OpenedWorkload | undefined = spec.create(context);
  const config: WorldConfig = {
    seed: options.seed ?? 1,
    rule: options.rule ?? "v4",
    journalBlocks: logBlocks,
    threads: first.threads,
    ...valuesOf<{ [K in keyof SettingFacts]: SettingFacts[K]["value"] }>(facts),
    flusherPhaseNs: flusherPhase(options, facts.dirtyWritebackNs.value),
    cpu: valuesOf(setting.cpu),
    device: device.profile,
    memoryBlocks: pinned.memory.value,
    policy: driver.settings,
    decisionMask: driver.decisionMask,
  };
  return {
    options,
    policy: policy.text,
    workload: pinned.workload,
    setting: setting.name,
    askedJournalBlocks: askedBlocks,
    config,
    provenance: { ...facts, ...setting.cpu, ...device.facts, memoryBlocks: pinned.memory },
    makePolicy: policy.make,
    makeWorkload() {
      // The one that told the number of threads is as good as new.
      const workload = first ?? spec.create(context);
      first = undefined;
      return workload;
    },
  };
}
