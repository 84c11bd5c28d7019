import { WorkloadError } from "../error.js";
import type { WorkloadContext } from "../workload.js";

/** Handles that can be replayed again and again. */
export interface Repeatable {
  /**
   * One repetition: adds each handle's logged blocks to `running`, takes out those it forgets,
   * and calls `after` with the time the handle takes when it does not wait, think time included.
   */
  replay(running: Set<number>, after: (ns: number) => void): void;
}

/** Default of ext4's `commit=`. */
const COMMIT_INTERVAL_NS = 5e9;
const MAX_REPETITIONS = 10_000_000;

/** The parameter that sets how often recorded handles are replayed. */
export const REPEAT = {
  kind: "integer",
  default: 0,
  min: 0,
  max: MAX_REPETITIONS,
  unit: "times",
  help: "how often the recording is replayed; 0 = until the log has wrapped as often as asked",
} as const;

/**
 * How many repetitions fill the log as often as asked. Counted, not guessed: handles are added
 * to a transaction until it holds the maximum or has run for the commit interval; every block is
 * logged once per transaction. Waits only make a run's commits more frequent, so it wraps at
 * least this often. Throws WorkloadError when the handles take no time and never fill a
 * transaction.
 */
export function repetitionsToWrap(
  workload: string,
  recording: Repeatable,
  wraps: number,
  context: WorkloadContext,
): number {
  const { journalBlocks } = context;
  const largest = context.maxTransactionBlocks ?? Math.floor(journalBlocks / 3);
  const target = wraps * journalBlocks;
  const running = new Set<number>();
  let repetitionNs = 0;
  let logged = 0;
  let runningNs = 0;
  let repetitions = 0;
  while (logged < target && repetitions < MAX_REPETITIONS) {
    const before = { blocks: running.size, logged };
    repetitions++;
    repetitionNs = 0;
    recording.replay(running, (ns) => {
      repetitionNs += ns;
      runningNs += ns;
      if (running.size >= largest || runningNs >= COMMIT_INTERVAL_NS) {
        logged += running.size;
        running.clear();
        runningNs = 0;
      }
    });
    if (running.size === before.blocks && logged === before.logged) {
      // Only the timer can close this transaction: the repetitions until then change nothing.
      if (repetitionNs === 0) {
        const found = `${running.size} blocks in handles that take no time`;
        const expected = `handles that fill a transaction of ${largest} blocks`;
        const text = `expected ${expected}, found ${found}; give repeat= or a time`;
        throw new WorkloadError(workload, `workload ${workload}: ${text}`);
      }
      const idle = Math.floor((COMMIT_INTERVAL_NS - runningNs) / repetitionNs);
      repetitions += idle;
      runningNs += idle * repetitionNs;
    }
  }
  return Math.min(Math.max(repetitions, 1), MAX_REPETITIONS);
}
