import type { Rule } from "@jbdlab/core-wasm";
import type { CrashSearch, Finding } from "../lab/crash/search.js";
import type { Story } from "../lab/crash/story.js";
import type { Exploration } from "../lab/exhaustive/explore.js";
import { UNSAFE_RULES } from "../lab/options.js";
import { columns } from "./columns.js";

const ms = (ns: number) => `${(ns / 1e6).toFixed(3)} ms`;

/** A story as numbered steps. */
export function storyText(story: Story): string {
  return story.steps.map(({ timeNs, text }, i) => `  ${i + 1}. ${ms(timeNs)}: ${text}`).join("\n");
}

function findingText(finding: Finding, replay: string): string {
  const { rule, policy, cause, count, handles, world, story } = finding;
  const blocks = new Set(
    world.threads
      .flat()
      .flatMap((step) => (step.do === "handle" ? step.accesses : []))
      .map(([, b]) => b),
  );
  const expected = UNSAFE_RULES[rule] === undefined ? "" : " (expected: the rule is unsafe)";
  return [
    `${rule}/${policy} ${cause.verdict}${expected}: ${cause.text}`,
    `found in ${count} worlds; smallest: ${handles} handles, ${blocks.size} blocks, ` +
      `${world.threads.length} threads, a log of ${world.config.journalBlocks} blocks`,
    storyText(story),
    `  replay: ${replay}`,
  ].join("\n");
}

/** An exhaustive search of one rule. */
export function explorationText(
  e: Exploration & { rule: Rule; blocks: number; transactions: number; seconds: number },
): string {
  const bound = `${e.blocks} blocks, ${e.transactions} transactions`;
  const time = `${e.seconds.toFixed(1)} s`;
  const seen = `${e.states} states, ${e.transitions} transitions, depth ${e.depth}, ${time}`;
  if (e.story.length > 0) {
    const steps = e.story.map((step, i) => `  ${i + 1}. ${step}`);
    const head = `${e.rule}: loses-acknowledged-data; the shortest way (${bound}):`;
    return `${[head, ...steps].join("\n")}\n`;
  }
  return e.complete
    ? `${e.rule}: consistent in every state, whatever a policy does (${bound}: ${seen})\n`
    : `${e.rule}: consistent so far, not complete (${bound}: ${seen})\n`;
}

/** A search for people; `replays`: the command that repeats each finding. */
export function crashText(search: CrashSearch, replays: readonly string[]): string {
  const { worlds, refused, cuts, seconds, coverage, findings } = search;
  const reached = Object.entries(coverage).filter(([, count]) => count > 0);
  const missed = Object.entries(coverage).filter(([, count]) => count === 0);
  const judged = `${worlds - refused} worlds, ${cuts.toExponential(1)} cuts judged`;
  const lines = [
    `${judged} in ${seconds.toFixed(1)} s${search.complete ? "" : " (stopped early)"}`,
    `reached ${reached.length} of ${reached.length + missed.length} kinds of events`,
    ...columns(
      reached.map(([name, count]) => [`  ${name}`, `${count} worlds`]),
      "lr",
    ),
    ...(missed.length === 0 ? [] : [`not reached: ${missed.map(([name]) => name).join(", ")}`]),
    ...findings.map((finding, i) => `\n${findingText(finding, replays[i] ?? "")}`),
    findings.length === 0
      ? `consistent, ${cuts.toExponential(1)} cuts: no power cut loses acknowledged data`
      : "",
  ];
  return `${lines.join("\n").trimEnd()}\n`;
}
