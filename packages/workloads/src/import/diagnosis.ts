import type { Measurements } from "./measurements.js";

/** What a journal suffers from, as far as its measurements tell. */
export type Complaint =
  | "commit-wait"
  | "home-writes"
  | "tail-flush"
  | "commit-batching"
  | "none"
  | "unknown";

export interface Diagnosis {
  readonly complaint: Complaint;
  /** One sentence with the figures it rests on. */
  readonly sentence: string;
}

/** A transaction below this share of the largest is not closed by size. */
const SMALL_TRANSACTION = 0.25;
/** Stalls below this share of the time are not worth a complaint. */
const NEGLIGIBLE = 0.02;
/** Commits in flight for this share of the time: whoever waits, waits for commits. */
const BUSY_COMMITTING = 0.3;
/** Without the journal's size: fewer blocks than this are a small transaction on any journal. */
const SMALL_BLOCKS = 64;

const percent = (share: number): string => `${(100 * share).toFixed(1)} %`;

/** Judges measurements. Blames checkpoints only for time that a source shows them to take. */
export function diagnose(m: Measurements): Diagnosis {
  const total = m.checkpoints?.timeMs?.total ?? 0;
  if (m.checkpoints === undefined || total <= 0) {
    return commitBatching(m) ?? quiet(m);
  }
  const { forced, timed, forcedMs } = m.checkpoints;
  const tailMs = handleTailMs(m);
  const split = `${percent(forcedMs / total)} of checkpoint time`;
  const rest = `home writes ${percent(1 - forcedMs / total)}`;
  const stalled = m.seconds ? (total + tailMs) / 1000 / m.seconds : undefined;
  const sentence =
    `${forced} of ${timed} checkpoints waited for a commit: ${split}; ${rest}` +
    `${tailWords(m, tailMs)}${ofRun(m, total)}`;
  if (stalled !== undefined && stalled < NEGLIGIBLE) {
    return (
      commitBatching(m) ?? {
        complaint: "none",
        sentence: `log space is no bottleneck: ${sentence}`,
      }
    );
  }
  const causes: [number, Complaint][] = [
    [forcedMs, "commit-wait"],
    [total - forcedMs, "home-writes"],
    [tailMs, "tail-flush"],
  ];
  const [, complaint] = causes.reduce((most, cause) => (cause[0] > most[0] ? cause : most));
  return { complaint, sentence };
}

/** Handles that move the tail pay a flush and a superblock write each. */
function handleTailMs({ tailUpdates, deviceFlushMs, superblockWriteMs }: Measurements): number {
  const each = (deviceFlushMs?.exact ? deviceFlushMs.value : 0) + (superblockWriteMs?.value ?? 0);
  return (tailUpdates?.byTask.handle ?? 0) * each;
}

function tailWords({ tailUpdates }: Measurements, ms: number): string {
  const moves = tailUpdates?.byTask.handle ?? 0;
  return ms < 1 ? "" : `; handles moved the tail ${moves} times, at least ${ms.toFixed(0)} ms`;
}

function ofRun(m: Measurements, ms: number): string {
  return m.seconds === undefined || m.seconds <= 0
    ? ""
    : ` (checkpoints: ${percent(ms / 1000 / m.seconds)} of ${m.seconds.toFixed(1)} s)`;
}

function commitBatching(m: Measurements): Diagnosis | undefined {
  const { commits, blocksPerTransaction: blocks, commitMs, seconds } = m;
  if (commits === undefined || blocks === undefined || commitMs === undefined || !seconds) {
    return undefined;
  }
  const busy = commitMs.total / 1000 / seconds;
  const largest = m.maxTransactionBlocks;
  const small = blocks.mean < (largest === undefined ? SMALL_BLOCKS : largest * SMALL_TRANSACTION);
  if (!small || busy < BUSY_COMMITTING) {
    return undefined;
  }
  const each = `${commits} commits of ${blocks.mean.toFixed(1)} blocks`;
  const time = `${commitMs.mean.toFixed(1)} ms each, ${percent(busy)} of the time`;
  const sentence = `commit batching, not log space: ${each}, ${time}; no checkpoint took time`;
  return { complaint: "commit-batching", sentence };
}

function quiet(m: Measurements): Diagnosis {
  const fill = fillOf(m);
  if (m.checkpoints !== undefined) {
    const n = m.checkpoints.count;
    const sentence = `no wait for log space seen: ${n} checkpoints, none of which took time${fill}`;
    return { complaint: "none", sentence };
  }
  const commits = m.commits === undefined ? "commits unknown" : `${m.commits} commits`;
  const sentence = `unknown: this source tells nothing of checkpoints (${commits}${fill})`;
  return { complaint: "unknown", sentence };
}

function fillOf(m: Measurements): string {
  const { maxTransactionBlocks: largest, blocksPerTransaction: blocks } = m;
  if (largest === undefined || blocks === undefined) {
    return "";
  }
  const share = blocks.mean / largest;
  const by = share > 0.75 ? ", so closed by size, not by the timer" : "";
  return `; a commit holds ${percent(share)} of the largest transaction${by}`;
}
