import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import type { CrashWorld } from "../lab/crash/crash-world.js";
import type { CrashSearch } from "../lab/crash/search.js";
import { blaming, Exit, InputError, oneLine } from "../lab/errors.js";
import { makeFolder } from "../lab/make-folder.js";
import { parseRule, quote, UNSAFE_RULES } from "../lab/options.js";
import { parseNumber, parseWhole } from "../lab/units.js";
import { watchInterrupts } from "./interrupt.js";
import { splitList } from "./lists.js";
import { defined, EXIT_CODES } from "./world-options.js";

interface CrashFlags {
  rule: string[];
  policy: string[];
  worlds?: string;
  seconds?: string;
  cuts?: string;
  seed?: string;
  replay?: string;
  exhaustive?: boolean;
  blocks?: string;
  transactions?: string;
  out: string;
  json?: boolean;
}

const EXAMPLES = `
Examples:
  jbdlab crash --rule v3                        finds the loss, makes it small, tells its story
  jbdlab crash --rule v0,v1,v4 --policy all --cuts 1e7
  jbdlab crash --policy ./mine.ts --seconds 60
  jbdlab crash --exhaustive --rule v0,v1,v3,v4   all interleavings, all cuts, any policy
  jbdlab crash --replay jbdlab-crash/v3-1.json
`;

const DESCRIPTION = `search random small worlds for a power cut that loses data

Every distinct durable state of every world is judged. A finding is shrunk, told in numbered steps
and kept as a file that replays it. Exit code ${Exit.Internal} when a safe rule loses data.`;

const collect = (value: string, before: string[]) => [...before, value];

/** `jbdlab crash`: the search for loss. */
export function crashCommand(): Command {
  return new Command("crash")
    .description(DESCRIPTION)
    .option("--rule <rules>", "cleanup rules (default: v4)", collect, [])
    .option(
      "--policy <policies>",
      "policies, or all: every built-in one (default: jbd2)",
      collect,
      [],
    )
    .option("--worlds <n>", "worlds of each rule and policy")
    .option("--seconds <s>", "time to search (default: 10)")
    .option("--cuts <n>", "stop after so many judged cuts, e.g. 1e7")
    .option("--seed <n>", "same seed and --worlds, same findings (default: 1)")
    .option("--replay <file>", "run a finding again instead of searching")
    .option("--exhaustive", "every interleaving of a miniature journal instead of random worlds")
    .option("--blocks <n>", "blocks of the miniature, 1 to 4 (default: 3)")
    .option("--transactions <n>", "transactions of the miniature, 1 to 4 (default: 3)")
    .option("-o, --out <folder>", "where findings go, with Mermaid timelines", "jbdlab-crash")
    .option("--json", "one JSON object on standard output")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (flags: CrashFlags) => {
      process.exitCode = await act(flags);
    });
}

function act(flags: CrashFlags): Promise<number> {
  if (flags.exhaustive) return exhaust(flags);
  return flags.replay === undefined ? search(flags) : replay(flags, flags.replay);
}

/** Whatever a policy answers is one of the interleavings, so none has to be named. */
async function exhaust(flags: CrashFlags): Promise<number> {
  const { explore } = await import("../lab/exhaustive/explore.js");
  const { explorationText } = await import("../report/crash-text.js");
  const rules = flags.rule.length === 0 ? (["v4"] as const) : splitList(flags.rule).map(parseRule);
  const size = (value: string | undefined, what: string) =>
    value === undefined ? 3 : parseWhole(value, what, 1, 4);
  const blocks = size(flags.blocks, "--blocks");
  const transactions = size(flags.transactions, "--transactions");
  let bad = false;
  const results = rules.map((rule) => {
    const started = performance.now();
    const exploration = explore({ rule, blocks, transactions });
    bad ||= exploration.story.length > 0 && UNSAFE_RULES[rule] === undefined;
    return {
      rule,
      blocks,
      transactions,
      ...exploration,
      seconds: (performance.now() - started) / 1e3,
    };
  });
  process.stdout.write(
    flags.json ? `${JSON.stringify(results, null, 2)}\n` : results.map(explorationText).join("\n"),
  );
  return bad ? Exit.Internal : Exit.Ok;
}

async function policiesOf(flags: CrashFlags): Promise<string[]> {
  const policies = flags.policy.length === 0 ? ["jbd2"] : splitList(flags.policy);
  if (!policies.includes("all")) return policies;
  const { listPolicies } = await import("@jbdlab/policies");
  const built = [...listPolicies()]
    .map(({ name }) => name)
    .filter((name) => name !== "infinite-log");
  return [...new Set([...built, ...policies.filter((name) => name !== "all")])];
}

async function search(flags: CrashFlags): Promise<number> {
  const { searchCrash } = await import("../lab/crash/search.js");
  const { crashText } = await import("../report/crash-text.js");
  const rules = flags.rule.length === 0 ? (["v4"] as const) : splitList(flags.rule).map(parseRule);
  const { worlds, seconds, cuts, seed } = flags;
  const options = {
    rules,
    policies: await policiesOf(flags),
    ...defined({
      worlds: worlds === undefined ? undefined : parseWhole(worlds, "--worlds", 1, 1e9),
      seconds: seconds === undefined ? undefined : parseNumber(seconds, "--seconds", 0.1, 1e6),
      cuts: cuts === undefined ? undefined : parseCuts(cuts),
      seed: seed === undefined ? undefined : parseWhole(seed, "--seed", 0, 0xffffffff),
    }),
  };
  const interrupts = watchInterrupts();
  let told = performance.now();
  const result = await searchCrash({
    ...options,
    signal: interrupts.signal,
    onProgress({ worlds, cuts, findings, share }) {
      if (performance.now() - told < 5000) return;
      told = performance.now();
      const percent = Math.floor(100 * share);
      process.stderr.write(
        `${percent} %, ${worlds} worlds, ${cuts.toExponential(1)} cuts, ${findings} findings\n`,
      );
    },
  }).finally(() => interrupts.end());
  const files = await keep(flags.out, result);
  const replays = files.map((file) => `npx jbdlab crash --replay ${quote(file)}`);
  process.stdout.write(
    flags.json
      ? `${JSON.stringify({ ...result, replays }, null, 2)}\n`
      : crashText(result, replays),
  );
  const bad = result.findings.some(({ rule }) => UNSAFE_RULES[rule] === undefined);
  if (bad) return Exit.Internal;
  return result.complete ? Exit.Ok : (interrupts.exitCode() ?? Exit.Ok);
}

function parseCuts(text: string): number {
  const value = /^\d+(\.\d+)?(e\d+)?$/i.test(text) ? Number(text) : Number.NaN;
  if (!(value >= 1 && value <= 1e15)) {
    throw new InputError(`--cuts: expected a number such as 1e7, found ${JSON.stringify(text)}`);
  }
  return value;
}

/** Writes each finding's world and timeline; returns the names of the worlds. */
async function keep(folder: string, { findings }: CrashSearch): Promise<string[]> {
  if (findings.length === 0) return [];
  const { mermaid } = await import("../lab/crash/story.js");
  try {
    makeFolder(folder);
    return findings.map(({ rule, world, story }, i) => {
      const file = join(folder, `${rule}-${i + 1}.json`);
      writeFileSync(file, `${JSON.stringify({ ...world, story }, null, 1)}\n`);
      writeFileSync(join(folder, `${rule}-${i + 1}.mmd`), mermaid(story));
      return file;
    });
  } catch (error) {
    throw new InputError(`--out ${folder}: cannot be written: ${oneLine(error)}`);
  }
}

function readWorld(file: string): CrashWorld {
  let world: unknown;
  try {
    world = JSON.parse(readFileSync(file, "utf8"));
  } catch (error) {
    throw new InputError(`${file}: expected a finding of jbdlab crash, found: ${oneLine(error)}`);
  }
  const { format, config, threads, policy } = (world ?? {}) as Partial<CrashWorld>;
  const whole =
    format === "jbdlab-crash-1" &&
    typeof config === "object" &&
    typeof policy === "string" &&
    Array.isArray(threads);
  if (!whole) {
    throw new InputError(
      `${file}: expected "format": "jbdlab-crash-1", config, policy and threads`,
    );
  }
  return world as CrashWorld;
}

async function replay(flags: CrashFlags, file: string): Promise<number> {
  const { replayCrash } = await import("../lab/crash/search.js");
  const { storyText } = await import("../report/crash-text.js");
  const world = readWorld(file);
  const result = await blaming(file, "a finding of jbdlab crash", () => replayCrash(world));
  if (result === undefined) throw new InputError(`${file}: its handles do not fit its log`);
  const { stats, cause, story } = result;
  if (flags.json) {
    process.stdout.write(`${JSON.stringify({ crash: stats.crash, cause, story }, null, 2)}\n`);
  } else {
    const { verdict, cuts } = stats.crash;
    const head = `${world.config.rule}/${world.policy}: ${verdict}, ${cuts} cuts`;
    process.stdout.write(`${head}\n${story === undefined ? "" : `${storyText(story)}\n`}`);
  }
  const bad = cause !== undefined && UNSAFE_RULES[world.config.rule] === undefined;
  return bad ? Exit.Internal : Exit.Ok;
}
