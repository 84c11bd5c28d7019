import { STALL_CLASSES } from "@jbdlab/core-wasm";
import type { RunResult } from "../lab/result.js";
import { formatJournal } from "../lab/sizes.js";
import { columns } from "./columns.js";
import { formatCuts } from "./table.js";

const fixed = (value: number, digits = 1) => value.toFixed(digits);

function verdictOf({ verdict, violation, durableStatesJudged: cuts }: RunResult): string {
  return `${verdict}${violation === "" ? "" : `: ${violation}`}, ${formatCuts(cuts)}`;
}

function facts(run: RunResult): [string, string][] {
  const { tailUpdates, tailMovesBy } = run;
  const rate =
    run.filesPerSecond === null
      ? `${fixed(run.handlesPerSecond)} handles/s`
      : `${fixed(run.filesPerSecond)} files/s (${fixed(run.handlesPerSecond)} handles/s)`;
  return [
    ["verdict", verdictOf(run)],
    ["throughput", rate],
    ["simulated time", `${fixed(run.simulatedSeconds, 3)} s, ${run.handles} handles`],
    [
      "commits",
      `${run.commits}, ${fixed(run.blocksPerCommit)} blocks and ` +
        `${fixed(run.handlesPerTransaction)} handles each`,
    ],
    ["log", `${run.loggedBlocks} blocks written, wrapped ${fixed(run.logWraps)} times`],
    [
      "checkpoints",
      `${run.checkpointCalls} calls, ${run.checkpointWrites} buffers written, ` +
        `${run.forcedToClose} forced to close`,
    ],
    [
      "waits for commits",
      `${run.commitWaits.count} inside the checkpoint, ${fixed(run.commitWaits.seconds, 3)} s`,
    ],
    [
      "tail moves",
      `${tailUpdates.handle} by handles, ${tailUpdates.commit} by commits, ` +
        `${tailUpdates.background} in the background (worker ${tailMovesBy.worker})`,
    ],
    ["home writes", `${run.homeWrites} blocks; data ${run.dataWrites}`],
    ["longest wait", `${fixed(run.longestWaitMs)} ms`],
    ["digest", run.digest],
  ];
}

function stalls(run: RunResult): string[][] {
  const time = run.simulatedSeconds * run.threads;
  const lines = STALL_CLASSES.filter((name) => run.stallSeconds[name] > 0).map((name) => [
    `  ${name}`,
    `${fixed(run.stallSeconds[name], 3)} s`,
    `${fixed((100 * run.stallSeconds[name]) / time)} %`,
    `${run.stallCounts[name]} waits`,
  ]);
  const { total } = run.stallSeconds;
  const share = time === 0 ? 0 : (100 * total) / time;
  return [...lines, ["  total", `${fixed(total, 3)} s`, `${fixed(share)} %`, ""]];
}

const milliseconds = (ns: number) => (ns < 0 ? "the end" : `${fixed(ns / 1e6, 3)} ms`);

/** The first loss windows of a run as lines, one for all blocks of the same span; empty without. */
export function lossLines(run: RunResult, most = 8): string[] {
  if (run.lossWindows === 0) return [];
  const spans = new Map<string, number[]>();
  for (const { fromNs, toNs, tid, tailTid, block } of run.lossWindowList) {
    const span =
      `from ${milliseconds(fromNs)} to ${milliseconds(toNs)} a power cut loses updates of ` +
      `transaction ${tid} (the durable tail is at ${tailTid})`;
    spans.set(span, [...(spans.get(span) ?? []), block]);
  }
  const shown = [...spans].slice(0, most).map(([span, blocks]) => {
    const names = blocks.slice(0, 4).join(", ");
    const more = blocks.length > 4 ? ` and ${blocks.length - 4} more` : "";
    return `  ${span}: block${blocks.length > 1 ? "s" : ""} ${names}${more}`;
  });
  const listed = run.lossWindowList.length;
  const head =
    `${run.lossWindows} loss ` +
    `windows${run.lossWindows > listed ? `; the first ${listed}` : ""}:`;
  return [head, ...shown];
}

/** A run as people read it. */
export function runText(run: RunResult): string {
  const title =
    `${run.rule}/${run.policy}, ${formatJournal(run.journalBlocks)} journal ` +
    `(maximum transaction ${run.maxTransactionBlocks} blocks), ${run.workload} on ` +
    `${run.device}, seed ${run.seed}`;
  const lines = [
    title,
    ...columns(facts(run), "ll"),
    ...(run.consumed === undefined ? [] : [run.consumed]),
    "waits of the handle threads:",
    ...columns(stalls(run), "lrrl"),
    ...lossLines(run),
    `replay: ${run.replay}`,
  ];
  return `${lines.join("\n")}\n`;
}
