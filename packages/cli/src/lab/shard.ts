import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { InputError, oneLine } from "./errors.js";
import { replayRun } from "./options.js";
import type { RunResult } from "./result.js";
import { planSweep, runPlan, type SweepOptions, type SweepPlan } from "./sweep.js";
import type { SweepResult } from "./sweep-result.js";
import { VERSION } from "./version.js";

/** A part of a sweep: `index` of `count`, from 1. */
export interface Shard {
  readonly index: number;
  readonly count: number;
}

/** What a machine that ran a shard leaves for `merge`. */
export interface ShardFile extends Shard {
  readonly format: "jbdlab-shard-1";
  readonly version: string;
  /** The whole sweep's. */
  readonly options: SweepOptions;
  readonly runs: readonly RunResult[];
}

const MOST_SHARDS = 100_000;

/**
 * Reads "2/10"; "auto": the task of a Slurm array; "auto/10": the index of a Kubernetes Job of 10.
 * Throws InputError.
 */
export function parseShard(text: string, env: NodeJS.ProcessEnv = process.env): Shard {
  const whole = (name: string): number => {
    const value = Number(env[name] ?? Number.NaN);
    if (Number.isInteger(value)) return value;
    throw new InputError(`--shard ${text}: expected ${name} in the environment, found none`);
  };
  const auto = /^auto(?:\/(\d+))?$/.exec(text);
  if (auto !== null && auto[1] === undefined) {
    const first = env["SLURM_ARRAY_TASK_MIN"] === undefined ? 0 : whole("SLURM_ARRAY_TASK_MIN");
    const index = whole("SLURM_ARRAY_TASK_ID") - first + 1;
    return checked(text, { index, count: whole("SLURM_ARRAY_TASK_COUNT") });
  }
  if (auto !== null) {
    return checked(text, { index: whole("JOB_COMPLETION_INDEX") + 1, count: Number(auto[1]) });
  }
  const match = /^(\d+)\/(\d+)$/.exec(text);
  if (match === null) {
    const found = JSON.stringify(text);
    throw new InputError(`--shard: expected index/count such as 2/10, or auto, found ${found}`);
  }
  return checked(text, { index: Number(match[1]), count: Number(match[2]) });
}

function checked(text: string, shard: Shard): Shard {
  const { index, count } = shard;
  if (count >= 1 && count <= MOST_SHARDS && index >= 1 && index <= count) return shard;
  throw new InputError(`--shard ${text}: expected 1 <= index <= count, found ${index}/${count}`);
}

/**
 * The runs of a shard, by their place in the plan: each run goes to the shard that has least work
 * so far, the longest first, so that shards end about together.
 */
export function runsOfShard(plan: SweepPlan, { index, count }: Shard): number[] {
  const load = new Array<number>(count).fill(0);
  const mine: number[] = [];
  const order = [...plan.runs.keys()].sort(
    (a, b) => (plan.work[b] ?? 0) - (plan.work[a] ?? 0) || a - b,
  );
  for (const run of order) {
    const shard = load.indexOf(Math.min(...load));
    load[shard] = (load[shard] ?? 0) + (plan.work[run] ?? 1);
    if (shard === index - 1) mine.push(run);
  }
  return mine.sort((a, b) => a - b);
}

/** Options without what cannot be written down. */
export function writable(options: SweepOptions): SweepOptions {
  const {
    onRun: _,
    onProgress: __,
    signal: ___,
    finished: ____,
    workers: _____,
    ...rest
  } = options;
  return rest;
}

export const shardName = ({ index, count }: Shard) => `shard-${index}-of-${count}.json`;
const SHARD_NAME = /^shard-\d+-of-\d+\.json$/;

function shardPaths(paths: readonly string[]): string[] {
  return paths.flatMap((path) => {
    const stat = statSync(path, { throwIfNoEntry: false });
    if (stat === undefined) throw new InputError(`${path}: expected a shard, found no such file`);
    if (!stat.isDirectory()) return [path];
    const names = readdirSync(path).filter((name) => SHARD_NAME.test(name));
    if (names.length === 0)
      throw new InputError(`${path}: expected shard-*.json in it, found none`);
    return names.sort().map((name) => join(path, name));
  });
}

function readShard(file: string): ShardFile {
  let shard: ShardFile;
  try {
    shard = JSON.parse(readFileSync(file, "utf8")) as ShardFile;
  } catch (error) {
    throw new InputError(`${file}: expected a shard of a sweep, found: ${oneLine(error)}`);
  }
  if (shard?.format !== "jbdlab-shard-1" || !Array.isArray(shard.runs)) {
    throw new InputError(`${file}: expected "format": "jbdlab-shard-1", found another`);
  }
  if (shard.version !== VERSION) {
    throw new InputError(`${file}: expected a shard of jbdlab ${VERSION}, found ${shard.version}`);
  }
  return shard;
}

/**
 * Puts the shards of one sweep together. Throws InputError that names a shard that is missing,
 * double, of another sweep, or without a run it should have.
 */
export async function mergeShards(paths: readonly string[]): Promise<SweepResult> {
  const files = shardPaths(paths);
  const shards = files.map((file) => ({ file, shard: readShard(file) }));
  const [first] = shards;
  if (first === undefined) throw new InputError("expected at least one shard, found none");
  const { count, options } = first.shard;
  const key = JSON.stringify(options);
  const seen = new Map<number, string>();
  for (const { file, shard } of shards) {
    if (shard.count !== count || JSON.stringify(shard.options) !== key) {
      throw new InputError(`${file}: a shard of another sweep than ${first.file}`);
    }
    const before = seen.get(shard.index);
    if (before !== undefined) {
      throw new InputError(`${file}: shard ${shard.index}/${count} is double, see ${before}`);
    }
    seen.set(shard.index, file);
  }
  for (let index = 1; index <= count; index++) {
    if (!seen.has(index)) throw new InputError(`shard ${index}/${count} is missing`);
  }
  const plan = await planSweep(options);
  for (const { file, shard } of shards) {
    const replays = new Set(shard.runs.map((run) => run.replay));
    const missing = runsOfShard(plan, shard).find(
      (run) => !replays.has(replayRun(plan.runs[run] ?? {})),
    );
    if (missing !== undefined) {
      const replay = replayRun(plan.runs[missing] ?? {});
      throw new InputError(`${file}: its run is missing: ${replay}`);
    }
  }
  return runPlan(plan, { ...options, finished: shards.flatMap(({ shard }) => shard.runs) });
}
