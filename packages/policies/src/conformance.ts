import type {
  PolicyAnswers,
  PolicyDriver,
  PolicyView,
  RunStats,
  Workload,
  WorldConfig,
} from "@jbdlab/core-wasm";
import { type ConformanceWorld, conformanceWorld } from "./conformance-world.js";
import { PolicyError } from "./error.js";
import { instantiate } from "./instantiate.js";
import type { Parameter, ParameterValue } from "./parameters.js";
import { definePolicy, type PolicyDefinition } from "./policy.js";
import { Random } from "./random.js";
import { type PolicySpec, specFor, specOf } from "./spec.js";

/** Runs a world to its end; `driver` is to be asked at its decision points. */
export type Simulate = (
  config: WorldConfig,
  driver: PolicyDriver,
  workload: Workload,
) => RunStats | Promise<RunStats>;

export interface ConformanceOptions {
  /** Random worlds, 1 or more; default 20. The first one runs with the default parameters. */
  readonly worlds?: number;
  /** The first world's number; default 1. Worlds are numbered on from there. */
  readonly seed?: number;
  /** Decisions per world above which a run counts as endless; default a million. */
  readonly maxDecisions?: number;
}

/** One property; `check` rejects with an Error whose message says where it fails. */
export interface ConformanceCase {
  readonly name: string;
  check(): Promise<void>;
}

interface Outcome {
  /** The world and the parameters, to say where it failed. */
  readonly where: string;
  readonly decisions: number;
  readonly runs: readonly { readonly stats: RunStats; readonly answers: string }[];
  readonly error?: unknown;
}

class Endless extends Error {}

/** A decision that takes longer than this counts as one that never ends. */
const DECISION_MS = 2000;
/** Timing a decision costs 0.2 ms, so only the first ones are. */
const TIMED_DECISIONS = 50;

/**
 * What every policy must keep, in N random worlds with random parameters under the rule of v4, one
 * case per property; the worlds are run once, when the first case is checked.
 *
 * ```ts
 * for (const { name, check } of conformanceCases(myPolicy, simulate)) it(name, check);
 * ```
 */
export function conformanceCases(
  policy: PolicyDefinition | PolicySpec,
  simulate: Simulate,
  options: ConformanceOptions = {},
): readonly ConformanceCase[] {
  let run: Promise<readonly Outcome[]> | undefined;
  const outcomes = () => {
    run ??= runAll(policy, simulate, options);
    return run;
  };
  const property = (name: string, complaint: (outcome: Outcome) => string | undefined) => ({
    name,
    async check() {
      for (const outcome of await outcomes()) {
        const wrong = complaint(outcome);
        if (wrong !== undefined) {
          throw new Error(`${outcome.where}: ${wrong}`, { cause: outcome.error });
        }
      }
    },
  });
  return [
    property("gives no illegal answer", ({ error }) =>
      error === undefined || error instanceof Endless ? undefined : (error as Error).message,
    ),
    property("terminates", ({ error, runs }) => {
      if (error instanceof Endless) return error.message;
      return runs.every((each) => each.stats.complete) ? undefined : "the run did not end";
    }),
    property("is deterministic", ({ runs: [first, second] }) => {
      if (first === undefined || second === undefined) return undefined;
      if (first.answers !== second.answers) return "two runs got different answers";
      const digests = [first.stats.digest, second.stats.digest];
      return digests[0] === digests[1] ? undefined : `digests differ: ${digests.join(", ")}`;
    }),
    property("opens no loss window", ({ runs }) => {
      const crash = runs[0]?.stats.crash;
      if (crash === undefined) return undefined;
      const windows = crash.lossWindowCount;
      return crash.verdict === "consistent" && windows === 0
        ? undefined
        : `${crash.verdict}, ${windows} loss windows ${crash.violation}`.trim();
    }),
  ];
}

/** All cases at once: the complaints, empty when the policy conforms. */
export async function checkConformance(
  policy: PolicyDefinition | PolicySpec,
  simulate: Simulate,
  options: ConformanceOptions = {},
): Promise<readonly string[]> {
  const complaints: string[] = [];
  for (const { name, check } of conformanceCases(policy, simulate, options)) {
    await check().catch((error: Error) => complaints.push(`${name}: ${error.message}`));
  }
  return complaints;
}

async function runAll(
  policy: PolicyDefinition | PolicySpec,
  simulate: Simulate,
  { worlds = 20, seed = 1, maxDecisions = 1_000_000 }: ConformanceOptions,
): Promise<readonly Outcome[]> {
  const defaults = "parts" in policy ? policy : specFor(definePolicy(policy));
  const outcomes: Outcome[] = [];
  for (let i = 0; i < worlds; i++) {
    const spec = i === 0 ? defaults : randomSpec(defaults, new Random(seed + i));
    outcomes.push(await runWorld(spec, seed + i, simulate, maxDecisions));
  }
  return outcomes;
}

async function runWorld(
  spec: PolicySpec,
  seed: number,
  simulate: Simulate,
  maxDecisions: number,
): Promise<Outcome> {
  const where = `world ${seed}, ${spec.text}`;
  const runs: { stats: RunStats; answers: string }[] = [];
  let witness: Witness | undefined;
  try {
    const world = conformanceWorld(seed);
    const { journalBlocks } = world.config;
    const timed = { deadlineMs: DECISION_MS, timedDecisions: TIMED_DECISIONS };
    // The same driver twice: `start` must forget everything.
    const driver = instantiate(spec, { journalBlocks, ...timed });
    const config = fit(world, driver.journalFactor, driver);
    for (let i = 0; i < 2; i++) {
      witness = new Witness(driver, maxDecisions);
      const stats = await simulate(config, witness, world.workload());
      runs.push({ stats, answers: witness.answers });
    }
  } catch (error) {
    return { where, decisions: witness?.decisions ?? 0, runs, error };
  }
  return { where, decisions: witness?.decisions ?? 0, runs };
}

function fit(world: ConformanceWorld, factor: number, driver: PolicyDriver): WorldConfig {
  const journalBlocks = Math.floor(world.config.journalBlocks * factor);
  const { settings, decisionMask } = driver;
  return { ...world.config, journalBlocks, policy: settings, decisionMask };
}

/** Parameters anywhere in their ranges, often at an end. */
function randomSpec(spec: PolicySpec, random: Random): PolicySpec {
  for (let tries = 0; tries < 100; tries++) {
    try {
      const parts = spec.parts.map(({ definition }) => {
        const values = Object.entries(definition.parameters).map(([name, parameter]) => [
          name,
          randomValue(parameter, random),
        ]);
        return specFor(definition, Object.fromEntries(values)).parts[0];
      });
      const drawn = specOf(parts.filter((part) => part !== undefined));
      instantiate(drawn, { journalBlocks: 64 });
      return drawn;
    } catch (error) {
      // Values that do not go together are refused with a complaint, as they should be.
      if (!(error instanceof PolicyError)) throw error;
    }
  }
  return spec;
}

function randomValue(parameter: Parameter, random: Random): ParameterValue {
  if (parameter.kind === "boolean") return random.chance(0.5);
  if (parameter.kind === "choice") return random.pick(parameter.choices);
  const { min, max } = parameter;
  if (random.chance(0.25)) return random.pick([min, max]);
  // Wide ranges are tried near their lower end, where they bite.
  const part = parameter.kind === "share" ? random.next() : random.next() ** 4;
  const value = min + (max - min) * part;
  return parameter.kind === "integer" ? Math.floor(value) : value;
}

/** Passes everything on, counts decisions and keeps a hash of the answers. */
class Witness implements PolicyDriver {
  decisions = 0;
  #hash = 0;
  readonly settings: PolicyDriver["settings"];
  readonly decisionMask: number;

  constructor(
    readonly driver: PolicyDriver,
    readonly maxDecisions: number,
  ) {
    this.settings = driver.settings;
    this.decisionMask = driver.decisionMask;
  }

  get answers(): string {
    return `${this.decisions} decisions, ${(this.#hash >>> 0).toString(16)}`;
  }

  start(view: PolicyView, answers: PolicyAnswers): void {
    this.driver.start(view, this.#listen(answers));
  }

  decide(view: PolicyView, answers: PolicyAnswers): void {
    if (++this.decisions > this.maxDecisions) {
      throw new Endless(`more than ${this.maxDecisions} decisions`);
    }
    this.driver.decide(view, this.#listen(answers));
  }

  #listen(core: PolicyAnswers): PolicyAnswers {
    const note = (kind: number, value: number) => {
      this.#hash = Math.imul(this.#hash ^ kind ^ Math.floor(value), 0x01000193) + kind;
    };
    return {
      dropClean: (mode, budget) => {
        note(mode === "stop" ? 1 : 2, budget);
        core.dropClean(mode, budget);
      },
      requestCommit: () => {
        note(3, 0);
        core.requestCommit();
      },
      writeHome: (buffers) => {
        note(4, buffers);
        core.writeHome(buffers);
      },
      checkpointOldest: (whileBelow) => {
        note(5, whileBelow ?? 0);
        core.checkpointOldest(whileBelow);
      },
      moveTail: (minFreed) => {
        note(6, minFreed);
        core.moveTail(minFreed);
      },
      armFreeBelow: (blocks) => {
        note(7, blocks);
        core.armFreeBelow(blocks);
      },
      armTick: (ns) => {
        note(8, ns);
        core.armTick(ns);
      },
      delayHandles: (ns) => {
        note(9, ns);
        core.delayHandles(ns);
      },
    };
  }
}
