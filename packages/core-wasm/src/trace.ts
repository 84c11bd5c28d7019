import type { Core } from "./wasm.js";

/** The phases of a transaction, by the number the core gives them. */
const PHASES = [
  "running",
  "locked",
  "switch",
  "flush",
  "commit",
  "commit-dflush",
  "commit-jflush",
  "callback",
  "finished",
] as const;
export type TransactionPhase = (typeof PHASES)[number];

/** One thing that happened, in the order of the run. Block and transaction numbers as elsewhere. */
export type TraceEvent = { readonly timeNs: number } & (
  | { readonly kind: "handle-start"; readonly task: number; readonly tid: number }
  | { readonly kind: "handle-stop"; readonly task: number; readonly credits: number }
  | { readonly kind: "commit"; readonly phase: TransactionPhase; readonly tid: number }
  | { readonly kind: "io"; readonly request: number; readonly blocks: number }
  | { readonly kind: "tail"; readonly tid: number; readonly freed: number }
  | { readonly kind: "drop"; readonly tid: number; readonly written: number }
  | { readonly kind: "stall"; readonly stall: number; readonly task: number }
  /** A power cut begins (tid > 0) or ceases (0) to lose the block's update of this transaction. */
  | { readonly kind: "loss"; readonly block: number; readonly tid: number }
  | { readonly kind: "iteration"; readonly index: number; readonly files: number }
  /** The block belongs to this transaction from now on. */
  | { readonly kind: "join"; readonly block: number; readonly tid: number }
  /** A transaction frees the block (and will revoke it). */
  | { readonly kind: "free"; readonly block: number; readonly tid: number }
  /** A rejoined block left the checkpoint list of its old transaction. */
  | { readonly kind: "unsafe-drop"; readonly block: number; readonly tid: number }
  /** Head of the log (blocks written since the start) and blocks in use. */
  | { readonly kind: "log"; readonly head: number; readonly used: number }
  /** The superblock that moves the tail to this transaction is on its way. */
  | { readonly kind: "tail-submitted"; readonly tid: number; readonly position: number }
);

const BYTES = 24;

function decode(timeNs: number, code: number, a: number, b: number): TraceEvent | undefined {
  switch (code) {
    case 1:
      return { timeNs, kind: "handle-start", task: a, tid: b };
    case 2:
      return { timeNs, kind: "handle-stop", task: a, credits: b };
    case 3:
      return { timeNs, kind: "commit", phase: PHASES[a] ?? "finished", tid: b };
    case 4:
      return { timeNs, kind: "io", request: a, blocks: b };
    case 5:
      return { timeNs, kind: "tail", tid: a, freed: b };
    case 6:
      return { timeNs, kind: "drop", tid: a, written: b };
    case 7:
      return { timeNs, kind: "stall", stall: a, task: b };
    case 8:
      return { timeNs, kind: "loss", block: a, tid: b };
    case 9:
      return { timeNs, kind: "iteration", index: a, files: b };
    case 16:
      return { timeNs, kind: "join", block: a, tid: b };
    case 17:
      return { timeNs, kind: "unsafe-drop", block: a, tid: b };
    case 18:
      return { timeNs, kind: "log", head: a, used: b };
    case 20:
      return { timeNs, kind: "free", block: a, tid: b };
    case 19:
      return { timeNs, kind: "tail-submitted", tid: a, position: b };
    default:
      return undefined;
  }
}

/** Hands over what the core has traced since the last time. */
export function takeTrace(core: Core, onEvent: (event: TraceEvent) => void): void {
  const { exports } = core;
  const count = exports.traced();
  const words = core.words(exports.traceAt, (count * BYTES) / 4);
  const times = core.doubles(exports.traceAt, (count * BYTES) / 8);
  for (let i = 0; i < count; i++) {
    const at = i * (BYTES / 4);
    const event = decode(
      times[i * (BYTES / 8)] ?? 0,
      words[at + 2] ?? 0,
      words[at + 3] ?? 0,
      words[at + 4] ?? 0,
    );
    if (event !== undefined) onEvent(event);
  }
  exports.traceTaken();
}
