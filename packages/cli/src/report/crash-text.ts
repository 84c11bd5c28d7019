import type { CrashSearch, Finding } from "../lab/crash/search.js";
import type { Story } from "../lab/crash/story.js";
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
