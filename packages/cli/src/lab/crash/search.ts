import { loadCore, type Rule, type RunStats } from "@jbdlab/core-wasm";
import { type Cause, causeOf } from "./cause.js";
import type { CrashWorld } from "./crash-world.js";
import { WorldJudge } from "./judge-world.js";
import { randomCrashWorld } from "./random-world.js";
import { shrink } from "./shrink.js";
import { type Story, tellStory } from "./story.js";

export interface CrashSearchOptions {
  readonly rules: readonly Rule[];
  readonly policies: readonly string[];
  /** Worlds of each rule and policy; default: as many as the time allows. */
  readonly worlds?: number;
  /** Default 10. */
  readonly seconds?: number;
  /** Stop when so many cuts were judged. */
  readonly cuts?: number;
  readonly seed?: number;
  readonly signal?: { readonly aborted: boolean };
  readonly onProgress?: (progress: CrashProgress) => void;
}

export interface CrashProgress {
  readonly worlds: number;
  readonly cuts: number;
  readonly findings: number;
  readonly share: number;
}

/** A world that loses data, made small, and its story. */
export interface Finding {
  readonly cause: Cause;
  readonly rule: Rule;
  readonly policy: string;
  /** Worlds that failed for this cause. */
  readonly count: number;
  readonly world: CrashWorld;
  readonly handles: number;
  readonly story: Story;
}

export interface CrashSearch {
  readonly worlds: number;
  /** Worlds whose handles did not fit their log. */
  readonly refused: number;
  /** Distinct durable states judged. */
  readonly cuts: number;
  readonly seconds: number;
  readonly complete: boolean;
  /** What the worlds went through: how many of them. */
  readonly coverage: Readonly<Record<string, number>>;
  readonly findings: readonly Finding[];
}

const COVERAGE: readonly (readonly [string, (stats: RunStats) => boolean])[] = [
  ["commits closed by size", (s) => s.commitReasons.full > 0],
  ["commits by timer", (s) => s.commitReasons.timer > 0],
  ["commits forced by a checkpoint", (s) => s.commitReasons.checkpoint > 0],
  ["commits for fsync or sync", (s) => s.commitReasons.sync > 0],
  ["commits asked for by the policy", (s) => s.commitReasons.policy > 0],
  ["rejoined buffers committed", (s) => s.rejoinedAtCommit > 0],
  ["frozen copies", (s) => s.frozenCopies > 0],
  ["checkpoint waits for a commit", (s) => s.forcedToClose > 0],
  ["checkpoint home writes", (s) => s.homeWrites.checkpoint > 0],
  ["flusher home writes", (s) => s.homeWrites.flusher > 0],
  ["policy home writes", (s) => s.homeWrites.policy > 0],
  ["file data written", (s) => s.dataWrites > 0],
  ["cleanup freed buffers", (s) => s.cleanup.freed > 0],
  ["cleanup freed rejoined buffers", (s) => s.cleanup.freedRejoined > 0],
  ["tail moved by a handle", (s) => s.tailMovesBy.handle > 0],
  ["tail moved by a commit", (s) => s.tailUpdates.commit > 0],
  ["tail moved by the worker", (s) => s.tailMovesBy.worker > 0],
  ["tail moved by kjournald for a policy", (s) => s.tailMovesBy.kjournald > s.tailUpdates.commit],
  ["tail decided, a handle was faster", (s) => s.tailCommitDecided > s.tailUpdates.commit],
  ["log wrapped", (s) => s.loggedBlocks > 256],
];

/** Searches random small worlds for one in which a power cut loses data. Throws PolicyError. */
export async function searchCrash(options: CrashSearchOptions): Promise<CrashSearch> {
  const judge = new WorldJudge(await loadCore());
  for (const policy of options.policies) await judge.load(policy);
  const pairs = options.rules.flatMap((rule) =>
    options.policies.map((policy) => ({ rule, policy })),
  );
  const started = performance.now();
  const elapsed = () => (performance.now() - started) / 1000;
  const seconds =
    options.seconds ??
    (options.worlds === undefined && options.cuts === undefined ? 10 : Number.POSITIVE_INFINITY);
  const most = (options.worlds ?? Number.POSITIVE_INFINITY) * pairs.length;
  const coverage = Object.fromEntries(COVERAGE.map(([name]) => [name, 0]));
  const found = new Map<string, { cause: Cause; world: CrashWorld; count: number }>();
  let worlds = 0;
  let refused = 0;
  let cuts = 0;
  const over = () =>
    worlds >= most || cuts >= (options.cuts ?? Number.POSITIVE_INFINITY) || elapsed() >= seconds;
  while (!over() && options.signal?.aborted !== true) {
    const { rule, policy } = pairs[worlds % pairs.length] ?? {
      rule: "v4" as const,
      policy: "jbd2",
    };
    const seed = (options.seed ?? 1) * 1_000_003 + Math.floor(worlds / pairs.length);
    const world = randomCrashWorld(seed >>> 0, rule, policy);
    worlds++;
    const stats = judge.run(world);
    if (stats === undefined) {
      refused++;
      continue;
    }
    cuts += stats.crash.cuts;
    for (const [name, reached] of COVERAGE) {
      if (reached(stats)) coverage[name] = (coverage[name] ?? 0) + 1;
    }
    note(judge, world, stats, found);
    if (worlds % 64 === 0) {
      const share = Math.max(
        worlds / most,
        elapsed() / seconds,
        cuts / (options.cuts ?? Number.POSITIVE_INFINITY),
      );
      options.onProgress?.({ worlds, cuts, findings: found.size, share });
      // Lets Ctrl-C through.
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
  const complete = over();
  const findings = [...found.values()].map((each) => finding(judge, each));
  return { worlds, refused, cuts, seconds: elapsed(), complete, coverage, findings };
}

function note(
  judge: WorldJudge,
  world: CrashWorld,
  stats: RunStats,
  found: Map<string, { cause: Cause; world: CrashWorld; count: number }>,
): void {
  const cause = causeOf(judge, world, stats);
  if (cause === undefined) return;
  const key = `${world.config.rule} ${cause.text}`;
  const before = found.get(key);
  if (before === undefined) found.set(key, { cause, world, count: 1 });
  else before.count++;
}

function finding(
  judge: WorldJudge,
  { cause, world, count }: { cause: Cause; world: CrashWorld; count: number },
): Finding {
  const small = shrink(world, (candidate) => {
    const stats = judge.run(candidate);
    return stats !== undefined && causeOf(judge, candidate, stats)?.text === cause.text;
  });
  const stats = judge.run(small);
  if (stats === undefined) throw new Error("a shrunk world no longer runs");
  const { rule } = small.config;
  const story = tellStory(judge, small, stats);
  return { cause, rule, policy: small.policy, count, world: small, handles: stats.handles, story };
}

/** Runs a world that was found earlier. Throws PolicyError. */
export async function replayCrash(
  world: CrashWorld,
): Promise<{ stats: RunStats; cause: Cause | undefined; story: Story | undefined } | undefined> {
  const judge = new WorldJudge(await loadCore());
  await judge.load(world.policy);
  const stats = judge.run(world);
  if (stats === undefined) return undefined;
  const cause = causeOf(judge, world, stats);
  return { stats, cause, story: cause && tellStory(judge, world, stats) };
}
