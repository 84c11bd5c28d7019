import type { LossWindow, RunStats, TraceEvent, Verdict } from "@jbdlab/core-wasm";
import type { CrashWorld } from "./crash-world.js";
import type { WorldJudge } from "./judge-world.js";

/** Why a world loses data, in words that are equal for equal causes. */
export interface Cause {
  readonly verdict: Verdict;
  readonly text: string;
}

/** undefined for a world without fault. */
export function causeOf(judge: WorldJudge, world: CrashWorld, stats: RunStats): Cause | undefined {
  const { verdict, violation, lossWindows } = stats.crash;
  if (verdict === "consistent") return undefined;
  if (verdict !== "loses-acknowledged-data") {
    return { verdict, text: violation.replace(/\s*\(.*\)$/, "") || verdict };
  }
  return { verdict, text: lossCause(judge, world, lossWindows[0]) };
}

function lossCause(judge: WorldJudge, world: CrashWorld, window: LossWindow | undefined): string {
  let dropped = false;
  let freed = false;
  judge.run(world, (event: TraceEvent) => {
    if (window === undefined || event.timeNs > window.fromNs) return;
    if (event.kind === "unsafe-drop" && event.block === window.block) dropped = true;
    if (event.kind === "free" && event.block === window.block && event.tid > window.tid)
      freed = true;
  });
  if (!dropped) return "the tail passed a transaction whose blocks were not durable at home";
  return freed
    ? "a freed buffer left its old checkpoint list before its revoke was durable"
    : "a rejoined buffer left its old checkpoint list before its new transaction was durable";
}
