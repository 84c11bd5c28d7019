import type { LossWindow, RunStats, TraceEvent } from "@jbdlab/core-wasm";
import type { CrashWorld } from "./crash-world.js";
import type { WorldJudge } from "./judge-world.js";

/** A moment of the story. */
export interface StoryStep {
  readonly timeNs: number;
  readonly text: string;
}

/** What happened, as a kernel commit message would tell it. */
export interface Story {
  readonly window: LossWindow | undefined;
  readonly steps: readonly StoryStep[];
}

const ms = (ns: number) => `${(ns / 1e6).toFixed(3)} ms`;

/** Tells the first loss window of a world (or its violation) in at most eight steps. */
export function tellStory(judge: WorldJudge, world: CrashWorld, stats: RunStats): Story {
  const events: TraceEvent[] = [];
  judge.run(world, (event) => events.push(event));
  const window = stats.crash.lossWindows[0];
  if (window === undefined) {
    return { window, steps: [{ timeNs: 0, text: stats.crash.violation }] };
  }
  return { window, steps: lossSteps(world, events, window) };
}

function lossSteps(
  world: CrashWorld,
  events: readonly TraceEvent[],
  window: LossWindow,
): StoryStep[] {
  const { block, tid, tailTid, fromNs, toNs } = window;
  const steps: StoryStep[] = [];
  const add = (event: TraceEvent | undefined, text: string) => {
    if (event !== undefined) steps.push({ timeNs: event.timeNs, text });
  };
  const before = events.filter((event) => event.timeNs <= fromNs);
  const taken = (of: (t: number) => boolean) =>
    before.find(
      (event) =>
        (event.kind === "join" || event.kind === "free") && event.block === block && of(event.tid),
    );
  const first = taken((t) => t === tid);
  const again = taken((t) => t > tid);
  const committed = before.find(
    (event) => event.kind === "commit" && event.tid === tid && event.phase === "finished",
  );
  add(first, `a handle of transaction T${tid} changes block ${block}`);
  add(
    committed,
    `T${tid} is committed: its record is durable, the change of block ${block} is acknowledged; ` +
      "its only durable copy is in the log",
  );
  const later = again?.kind === "join" || again?.kind === "free" ? again.tid : undefined;
  const how = again?.kind === "free" ? "frees" : "takes write access to";
  add(
    again,
    `a handle of T${later} ${how} block ${block}, which now belongs to T${later}: from here ` +
      "on it looks clean, though it was not written home",
  );
  const drop = before.find((event) => event.kind === "unsafe-drop" && event.block === block);
  add(
    drop,
    `cleanup under ${world.config.rule} does not look at b_transaction and drops the buffer from ` +
      `T${tid}'s checkpoint list`,
  );
  const released = before.find((event) => event.kind === "drop" && event.tid === tid);
  add(released, `T${tid}'s list is empty: T${tid} is released, nothing pins the log's tail to it`);
  const tail = events.find((event) => event.kind === "tail-submitted" && event.tid === tailTid);
  add(
    tail,
    `the superblock moves the tail to T${tailTid}: recovery will no longer replay T${tid}, its ` +
      "log blocks may be reused",
  );
  const end = toNs < 0 ? "the end" : ms(toNs);
  const why = later === undefined ? "" : ` (T${later}'s commit record is not durable before)`;
  steps.push({
    timeNs: fromNs,
    text:
      `power cut between ${ms(fromNs)} and ${end}${why}: the home location holds an older ` +
      `version, the log no copy: T${tid}'s acknowledged change of block ${block} is nowhere`,
  });
  // What happened at one time is told in the order above.
  return steps
    .map((step, order) => ({ step, order }))
    .sort((a, b) => a.step.timeNs - b.step.timeNs || a.order - b.order)
    .map(({ step }) => step);
}

/** A Mermaid timeline of a story. */
export function mermaid(story: Story): string {
  const lines = story.steps.map(
    ({ timeNs, text }) => `    ${ms(timeNs)} : ${text.replaceAll(":", ",")}`,
  );
  return `timeline\n    title how the update is lost\n${lines.join("\n")}\n`;
}
