import type { PolicyDriver, Workload, WorldConfig } from "@jbdlab/core-wasm";
import { instantiate, MAINLINE_SETTINGS, nearest, parsePolicy } from "@jbdlab/policies";
import { Geometry, parseWorkload } from "@jbdlab/workloads";
import { parseDevice } from "./devices.js";
import { InputError } from "./errors.js";
import type { RunOptions } from "./options.js";
import { computed, type Fact, given, valuesOf } from "./provenance.js";
import { SETTINGS, type Setting } from "./settings.js";
import { BLOCK_BYTES, formatJournal, parseJournal } from "./sizes.js";
import { parseBytes } from "./units.js";
import { measureWork, type Work } from "./work.js";

/** A world made definite: all that a run needs, and where each of its figures comes from. */
export interface ResolvedWorld {
  /** Canonical texts that read back. */
  readonly policy: string;
  readonly workload: string;
  readonly setting: string;
  readonly config: WorldConfig;
  readonly provenance: Readonly<Record<string, Fact<unknown>>>;
  readonly work: Work;
  makeWorkload(): Workload & { readonly consumed?: string };
  makePolicy(): PolicyDriver;
}

/** Finds the setting; throws InputError that names the nearest. */
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

/** A setting's figures with the options that override them. */
function settingFacts(setting: Setting, options: RunOptions): Setting["facts"] {
  const { cpus, commitSeconds, maxTransactionDivisor } = options;
  const facts = {
    ...setting.facts,
    ...(cpus === undefined ? {} : { cpus: given(cpus, "--cpus") }),
    ...(commitSeconds === undefined
      ? {}
      : { commitIntervalNs: given(Math.round(commitSeconds * 1e9), "--commit-seconds") }),
    ...(maxTransactionDivisor === undefined
      ? {}
      : { maxTransactionDivisor: given(maxTransactionDivisor, "--max-transaction-divisor") }),
  };
  if (cpus === undefined) return facts;
  return { ...facts, quantumNs: computed(schedulerSlice(cpus), "0.75 ms x (1 + log2 cpus)") };
}

/** kernel/sched/fair.c: the base slice of 0.75 ms grows with the logarithm of the CPUs, at most 8 of them. */
function schedulerSlice(cpus: number): number {
  return 750000 * (1 + Math.floor(Math.log2(Math.min(cpus, 8))));
}
