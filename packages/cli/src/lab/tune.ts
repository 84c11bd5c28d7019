import type { Verdict } from "@jbdlab/core-wasm";
import {
  findPolicy,
  type Parameter,
  type ParameterValue,
  type PolicyDefinition,
} from "@jbdlab/policies";
import { Random } from "./crash/random-world.js";
import { InputError } from "./errors.js";
import type { ProgressReport } from "./progress.js";
import { type RunResult, throughput, worstVerdict } from "./result.js";
import { BLOCK_BYTES, formatJournal, parseJournals } from "./sizes.js";
import { type SweepOptions, sweep } from "./sweep.js";
import { formatBytes } from "./units.js";
import { DEFAULT_JOURNAL, pinWork } from "./world.js";

/** Parameters that were tried, and what they gave; means over journal sizes and seeds. */
export interface Trial {
  /** As --policy takes it. */
  readonly policy: string;
  readonly params: Readonly<Record<string, ParameterValue>>;
  /** Against v4/jbd2, percent; the mean over the sizes. */
  readonly gainPercent: number;
  /** The worst size's. */
  readonly worstPercent: number;
  /** Greatest over sizes and seeds. */
  readonly p999WaitMs: number;
  /** Blocks written home and to the log per block that handles logged. */
  readonly writeAmplification: number;
  /** Seconds to read and write home the log in use at most. */
  readonly recoverySeconds: number;
  readonly verdict: Verdict;
  readonly seeds: number;
}

export interface Tuning {
  readonly policy: string;
  readonly journals: readonly number[];
  readonly workload: string;
  readonly device: string;
  /** All that were tried with most seeds, the best gain first. */
  readonly trials: readonly Trial[];
  /** Trials that no other beats in gain, wait, write amplification and recovery at once. */
  readonly front: readonly Trial[];
  /** The trial of the front from which more gain costs most writes. */
  readonly knee: Trial | undefined;
  /** How much gain depends on each parameter: Spearman's rank correlation, -1 to 1. */
  readonly sensitivity: Readonly<Record<string, number>>;
  readonly tried: number;
}

export interface TuneOptions extends Omit<SweepOptions, "rows" | "base" | "onRun" | "finished"> {
  /** Sets of parameters of the first round; default 18. Each round keeps the better third. */
  readonly candidates?: number;
  /** Varies which parameters are tried; default 1. */
  readonly tuneSeed?: number;
  readonly onStage?: (what: string) => void;
  readonly onProgress?: (report: ProgressReport) => void;
}

const BASE = "v4/jbd2";
/** Seeds of each round. */
const ROUNDS: readonly number[] = [1, 3, 6];

const mean = (values: readonly number[]) => values.reduce((a, b) => a + b, 0) / values.length;

/** A value within the parameter's range, two digits, evenly spread. */
function draw(parameter: Parameter, random: Random): ParameterValue {
  if (parameter.kind === "boolean") return random.chance(50);
  if (parameter.kind === "choice") {
    return parameter.choices[random.below(parameter.choices.length)] ?? parameter.default;
  }
  const { min, max } = parameter;
  const share = random.below(10_001) / 10_000;
  // Ranges over decades are searched decade by decade.
  const wide = min > 0 && max / min > 100;
  const value = wide ? min * (max / min) ** share : min + (max - min) * share;
  const rounded = parameter.kind === "integer" ? Math.round(value) : Number(value.toPrecision(2));
  return Math.min(max, Math.max(min, rounded));
}

/** The policy's text with these parameters. */
function textOf(policy: string, params: Readonly<Record<string, ParameterValue>>): string {
  const pairs = Object.entries(params).map(([name, value]) => `${name}=${value}`);
  return pairs.length === 0 ? policy : `${policy}:${pairs.join(",")}`;
}

function candidatesOf(policy: PolicyDefinition, count: number, seed: number) {
  const random = new Random(seed);
  const defaults = Object.fromEntries(
    Object.entries(policy.parameters).map(([name, parameter]) => [name, parameter.default]),
  );
  const sets = [defaults];
  for (let tries = 0; sets.length < count && tries < 100 * count; tries++) {
    const params = Object.fromEntries(
      Object.entries(policy.parameters).map(([name, parameter]) => [name, draw(parameter, random)]),
    );
    if (policy.check?.(params as never) === undefined) sets.push(params);
  }
  return sets;
}

/**
 * Searches a policy's parameters by successive halving: many sets with one seed, the better third
 * with three, the best with six. Deterministic. Throws PolicyError for an unknown policy,
 * InputError for one without parameters; else as `sweep` does.
 */
export async function tune(policy: string, options: TuneOptions = {}): Promise<Tuning> {
  const definition = findPolicy(policy);
  if (Object.keys(definition.parameters).length === 0) {
    throw new InputError(`policy ${policy}: expected one with parameters to tune, found none`);
  }
  const { candidates = 18, tuneSeed = 1, onStage, ...rest } = options;
  const journals = parseJournals(options.journal ?? DEFAULT_JOURNAL);
  let sets = candidatesOf(definition, candidates, tuneSeed);
  const tried = sets.length;
  let trials: Trial[] = [];
  const everyGain: { params: Trial["params"]; gain: number }[] = [];
  let about = { workload: "", device: "" };
  for (const seeds of ROUNDS) {
    onStage?.(`${sets.length} sets of parameters with ${seeds} seed${seeds > 1 ? "s" : ""}`);
    const round = await tryAll(policy, sets, journals, seeds, rest);
    about = round;
    trials = [...round.trials].sort((a, b) => b.gainPercent - a.gainPercent);
    if (seeds === ROUNDS[0]) {
      everyGain.push(...trials.map(({ params, gainPercent: gain }) => ({ params, gain })));
    }
    sets = trials.slice(0, Math.max(2, Math.ceil(trials.length / 3))).map(({ params }) => params);
    if (seeds !== ROUNDS.at(-1) && sets.length <= 2 && seeds > 1) break;
  }
  const front = trials.filter((trial) => !trials.some((other) => beats(other, trial)));
  return {
    policy,
    journals,
    workload: about.workload,
    device: about.device,
    trials,
    front,
    knee: kneeOf(front),
    sensitivity: sensitivityOf(definition, everyGain),
    tried,
  };
}

async function tryAll(
  policy: string,
  sets: readonly Trial["params"][],
  journals: readonly number[],
  seeds: number,
  rest: SweepOptions,
): Promise<{ trials: Trial[]; workload: string; device: string }> {
  const texts = sets.map((params) => textOf(policy, params));
  const runs = new Map<string, RunResult[][]>();
  let about = { workload: "", device: "" };
  for (const blocks of journals) {
    const pinned = pinWork({ ...worldOf(rest), seed: 1 }, blocks, blocks);
    const result = await sweep({
      ...rest,
      workload: pinned.workload,
      memory: formatBytes(pinned.memory.value * BLOCK_BYTES),
      journal: formatJournal(blocks),
      seeds: Array.from({ length: seeds }, (_, i) => i + 1),
      rows: [BASE, ...texts.map((text) => `v4/${text}`)],
      base: BASE,
    });
    if (!result.complete) throw new InputError(result.failures[0]?.message ?? "stopped");
    about = { workload: result.workload, device: result.device };
    // Rows come back in the order given: the base, then the sets.
    result.rows.forEach((row, i) => {
      const cell = result.cells.find((each) => each.row === row);
      const key = i === 0 ? BASE : (texts[i - 1] ?? row);
      runs.set(key, [...(runs.get(key) ?? []), [...(cell?.runs ?? [])]]);
    });
  }
  const base = runs.get(BASE) ?? [];
  const trials = sets.map((params, i) =>
    trialOf(texts[i] ?? "", params, runs.get(texts[i] ?? "") ?? [], base, seeds),
  );
  return { trials, ...about };
}

function worldOf(options: SweepOptions) {
  const { workload, device, setting, maxTransactionDivisor, flushMs } = options;
  const { threads, cpus, commitSeconds, memory, wraps } = options;
  const world = { workload, device, setting, maxTransactionDivisor, flushMs, threads, cpus };
  const all = Object.entries({ ...world, commitSeconds, memory, wraps });
  return Object.fromEntries(all.filter(([, value]) => value !== undefined));
}

/** Read and write of one block when the log is replayed; the devices' sequential rate. */
const REPLAY_NS_PER_BLOCK = 16_000;

function trialOf(
  policy: string,
  params: Trial["params"],
  sizes: readonly (readonly RunResult[])[],
  base: readonly (readonly RunResult[])[],
  seeds: number,
): Trial {
  const rate = (runs: readonly RunResult[] | undefined) => mean((runs ?? []).map(throughput));
  const gains = sizes.map((runs, i) => 100 * (rate(runs) / rate(base[i]) - 1));
  const all = sizes.flat();
  const sum = (of: (run: RunResult) => number) => all.reduce((total, run) => total + of(run), 0);
  const blocks = Math.max(...all.map((run) => run.journalBlocks));
  return {
    policy,
    params,
    gainPercent: mean(gains),
    worstPercent: Math.min(...gains),
    p999WaitMs: Math.max(...all.map((run) => run.waitQuantilesMs.p999)),
    writeAmplification:
      (sum((r) => r.homeWrites) + sum((r) => r.logWrites)) / sum((r) => r.loggedBlocks),
    recoverySeconds: (2 * blocks * REPLAY_NS_PER_BLOCK) / 1e9,
    verdict: worstVerdict(all),
    seeds,
  };
}

/** As good in everything, better in something. */
function beats(a: Trial, b: Trial): boolean {
  if (a === b || (a.verdict !== "consistent" && b.verdict === "consistent")) return false;
  const goods = (t: Trial) => [
    t.gainPercent,
    -t.p999WaitMs,
    -t.writeAmplification,
    -t.recoverySeconds,
  ];
  const [x, y] = [goods(a), goods(b)];
  const asGood = x.every((value, i) => value >= (y[i] ?? value));
  return asGood && x.some((value, i) => value > (y[i] ?? value));
}

/** The point of the front farthest above the line between its cheapest and its fastest trial. */
function kneeOf(front: readonly Trial[]): Trial | undefined {
  const sorted = [...front].sort((a, b) => a.writeAmplification - b.writeAmplification);
  const [first, last] = [sorted[0], sorted.at(-1)];
  if (first === undefined || last === undefined) return undefined;
  const width = last.writeAmplification - first.writeAmplification || 1;
  const slope = (last.gainPercent - first.gainPercent) / width;
  const above = (t: Trial) =>
    t.gainPercent - (first.gainPercent + slope * (t.writeAmplification - first.writeAmplification));
  return sorted.reduce((best, t) => (above(t) > above(best) ? t : best));
}

function ranks(values: readonly number[]): number[] {
  const order = [...values.keys()].sort((a, b) => (values[a] ?? 0) - (values[b] ?? 0));
  const result = values.map(() => 0);
  order.forEach((index, rank) => {
    result[index] = rank;
  });
  return result;
}

function sensitivityOf(
  definition: PolicyDefinition,
  trials: readonly { params: Trial["params"]; gain: number }[],
): Record<string, number> {
  const gain = ranks(trials.map((trial) => trial.gain));
  const centre = (trials.length - 1) / 2;
  return Object.fromEntries(
    Object.keys(definition.parameters).map((name) => {
      const values = ranks(trials.map(({ params }) => Number(params[name]) || 0));
      const product = values.reduce(
        (sum, v, i) => sum + (v - centre) * ((gain[i] ?? 0) - centre),
        0,
      );
      const square = gain.reduce((sum, v) => sum + (v - centre) ** 2, 0);
      return [name, square === 0 ? 0 : Number((product / square).toFixed(2))];
    }),
  );
}
