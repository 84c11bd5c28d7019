import type { Cell } from "../lab/cells.js";
import type { RunResult } from "../lab/result.js";
import { formatJournal } from "../lab/sizes.js";
import type { SweepResult } from "../lab/sweep-result.js";

/** Seconds a run's handles waited for commits while they were out of log space. */
export function commitWaitSeconds(run: RunResult): number {
  return (
    run.stallSeconds["log-space/forced-commit"] + run.stallSeconds["log-space/wait-committing"]
  );
}

const average = (runs: readonly RunResult[], of: (run: RunResult) => number) =>
  runs.reduce((sum, run) => sum + of(run), 0) / runs.length;
const seconds = (value: number) => `${value.toFixed(2)} s`;

interface Pair {
  readonly safe: Cell;
  readonly base: Cell;
}

/** The size at which the row loses most against the base. */
function worstPair(result: SweepResult, row: string): Pair | undefined {
  let worst: Pair | undefined;
  for (const safe of result.cells) {
    const base = result.cells.find(
      (cell) => cell.row === result.base && cell.journalBlocks === safe.journalBlocks,
    );
    if (safe.row !== row || base === undefined) continue;
    if (worst === undefined || lost(safe) > lost(worst.safe)) worst = { safe, base };
  }
  return worst;
}

const lost = (cell: Cell) => -(cell.gap?.percent ?? 0);

function single(result: SweepResult): string {
  const cell = result.cells.find((c) => c.row.endsWith("/jbd2")) ?? result.cells[0];
  if (cell === undefined) return "No run was finished, so nothing can be said about cleanup.";
  const wait = average(cell.runs, commitWaitSeconds);
  const share = (100 * wait) / average(cell.runs, (r) => r.simulatedSeconds * r.threads);
  const verdict = cell.verdict === "consistent" ? "" : ` (${cell.verdict})`;
  return (
    `${wait > 0 ? "Yes" : "No"}: at ${formatJournal(cell.journalBlocks)} the handles of ` +
    `${cell.row}${verdict} waited ` +
    `${seconds(wait)} for commits while out of log space, ${share.toFixed(1)} % of the run.`
  );
}

function compared({ safe, base }: Pair): string {
  const size = formatJournal(safe.journalBlocks);
  const [before, after] = [base, safe].map((cell) => average(cell.runs, commitWaitSeconds));
  const totals = [base, safe].map((cell) => average(cell.runs, (r) => r.stallSeconds.total));
  const addedWait = (after ?? 0) - (before ?? 0);
  const added = (totals[1] ?? 0) - (totals[0] ?? 0);
  const waits =
    `${seconds(before ?? 0)} under ${base.row}, ${seconds(after ?? 0)} under ` + `${safe.row}`;
  const price =
    base.verdict === "consistent"
      ? ""
      : `; ${base.row} buys its speed with a verdict: ${base.verdict}`;
  // A gap counts when its interval excludes zero; without intervals, when it is above half a
  // percent.
  const proven = safe.gap !== null && (safe.gap.high ?? safe.gap.percent + 0.5) < 0;
  if (!proven) {
    const gap = (safe.gap?.percent ?? 0).toFixed(1);
    return (
      `Not so that it costs throughput: even at ${size}, its worst size, ${safe.row} ` +
      `differs from ${base.row} by no ` +
      `more than chance (${gap} %), and waits for commits while out of log space take ` +
      `${waits}${price}.`
    );
  }
  const share = added > 0 ? (100 * addedWait) / added : 0;
  const answer =
    addedWait > 0 && share >= 50 ? "Yes" : addedWait > 0 && share >= 10 ? "In part" : "No";
  const part =
    addedWait <= 0 || added <= 0
      ? "the added stall lies elsewhere"
      : share > 100
        ? `more than the whole added stall of ${seconds(added)}`
        : `${share.toFixed(0)} % of the added stall of ${seconds(added)}`;
  return (
    `${answer}: at ${size}, its worst size, ${safe.row} is ${lost(safe).toFixed(1)} % ` +
    `slower than ${base.row}, and ` +
    `waits for commits while out of log space take ${waits}: ${part}${price}.`
  );
}

/** One plain sentence that answers "did cleanup wait for commits?" from the numbers of a sweep. */
export function answerSentence(result: SweepResult): string {
  const row = result.rows.find((name) => name === "v4/jbd2" && name !== result.base);
  const pair = row === undefined ? undefined : worstPair(result, row);
  return pair === undefined ? single(result) : compared(pair);
}
