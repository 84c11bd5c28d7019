import { STALL_CLASSES } from "@jbdlab/core-wasm";
import { COMMIT_REASONS, Note, type TwinEvent } from "./state.js";

const PHASES = [
  "running",
  "locked",
  "switch",
  "flush",
  "commit",
  "dflush",
  "jflush",
  "",
  "finished",
];
const KINDS = ["", "log", "commit record", "flush", "superblock", "home", "data"];

interface Line {
  /** The word of the scenario's line "show". */
  readonly shows: string;
  readonly text: (a: number, b: number, threads: number) => string;
}
function who(task: number, threads: number): string {
  if (task < threads) return `thread ${task}`;
  return (
    ["kjournald", "flusher", "worker", "kswapd", "converter"][task - threads] ?? `task ${task}`
  );
}

const LINES: Readonly<Record<Note, Line>> = {
  [Note.Start]: { shows: "handle", text: (a, b, n) => `${who(a, n)} starts a handle in T${b}` },
  [Note.Stop]: {
    shows: "handle",
    text: (a, b, n) => `${who(a, n)} stops, credits used: ${b}`,
  },
  [Note.Commit]: { shows: "commit", text: (a, b) => `T${b} ${PHASES[a]}` },
  [Note.Io]: { shows: "io", text: (a, b) => `done: ${KINDS[a]}${b > 0 ? `, blocks: ${b}` : ""}` },
  [Note.Tail]: { shows: "tail", text: (a, b) => `tail moved to T${a}, blocks freed: ${b}` },
  [Note.Drop]: { shows: "drop", text: (a, b) => `T${a} dropped, queued home by checkpoints: ${b}` },
  [Note.Stall]: {
    shows: "wait",
    text: (a, b, n) => `${who(b, n)} goes on after ${STALL_CLASSES[a]}`,
  },
  [Note.Loss]: {
    shows: "loss",
    text: (a, b) => (b > 0 ? `LOSS of block ${a} as of T${b} begins` : `loss of block ${a} ends`),
  },
  [Note.Iteration]: { shows: "handle", text: (a, b) => `iteration ${a} ends, files: ${b}` },
  [Note.WaitBegins]: {
    shows: "wait",
    text: (a, b, n) => `${who(b, n)} waits: ${STALL_CLASSES[a]}`,
  },
  [Note.Frozen]: { shows: "access", text: (a, b, n) => `${who(b, n)} makes a frozen copy of ${a}` },
  [Note.Joined]: { shows: "access", text: (a, b) => `${a} joins T${b}` },
  [Note.NextIs]: { shows: "access", text: (a, b) => `${a} gets T${b} as its next transaction` },
  [Note.Listed]: { shows: "list", text: (a, b) => `${a} becomes head of T${b}'s checkpoint list` },
  [Note.Unlisted]: { shows: "list", text: (a, b) => `${a} leaves T${b}'s checkpoint list` },
  [Note.HomeWrite]: {
    shows: "home",
    text: (a, b) => `home write of ${b > 1 ? `${a}..${a + b - 1}` : a}`,
  },
  [Note.Revoked]: { shows: "access", text: (a, b) => `${a} revoked by T${b}` },
  [Note.Requested]: {
    shows: "commit",
    text: (a, b) => `commit of T${b} requested (${COMMIT_REASONS[a]})`,
  },
  [Note.Throttled]: {
    shows: "wait",
    text: (a, b, n) => `${who(b, n)} is above the limit: ${a} pages`,
  },
  [Note.TailSampled]: {
    shows: "tail",
    text: (a, b) => `commit could move the tail by ${b} blocks: ${a > 0 ? "enough" : "too few"}`,
  },
  [Note.TailOvertaken]: {
    shows: "tail",
    text: (a) => `a handle had moved the tail to T${a} first`,
  },
};

/** Words that a scenario can show. */
export const SHOWN: readonly string[] = [
  ...new Set(Object.values(LINES).map((line) => line.shows)),
];

/** One line of a trace: time in us and what happened; undefined when it is not to be shown. */
export function traceLine(
  event: TwinEvent,
  threads: number,
  show: readonly string[],
): string | undefined {
  const line = LINES[event.note];
  if (!show.includes(line.shows)) return undefined;
  const us = (event.timeNs / 1000).toFixed(1).padStart(10);
  return `${us}  ${line.text(event.a, event.b, threads)}`;
}
