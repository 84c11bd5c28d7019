import type { Rule } from "@jbdlab/core-wasm";
import { type BlockState, copyState, type JournalState } from "./state.js";

/** What may happen next, in words, and the state it leads to. */
export interface Transition {
  readonly what: string;
  readonly to: JournalState;
}

/** Guards that can be taken out, to see that the search finds what they prevent. */
export type Guard =
  | "flush before the tail"
  | "record before the end of a commit"
  | "no home write of a held buffer"
  | "tail not past the oldest checkpoint"
  | "tail not past the committing";

export interface Bounds {
  readonly rule: Rule;
  /** Transactions that may begin. */
  readonly transactions: number;
  readonly without?: Guard;
}

const looksAtOwner = (rule: Rule) => rule !== "v2" && rule !== "v3";
const skipsBusy = (rule: Rule) => rule === "v1" || rule === "v2";

/** Off its checkpoint list; the transaction goes with its last buffer. */
function leaveList(s: JournalState, b: BlockState): void {
  const tid = b.checkpoint;
  b.checkpoint = 0;
  if (tid !== 0 && !s.blocks.some((each) => each.checkpoint === tid)) {
    s.checkpoints = s.checkpoints.filter((each) => each !== tid);
  }
}

/** The cleanup rule over all lists; `skip`: goes on after a busy buffer. */
function clean(s: JournalState, rule: Rule, skip: boolean): void {
  for (const tid of [...s.checkpoints]) {
    for (const b of s.blocks.filter((each) => each.checkpoint === tid)) {
      const busy = (looksAtOwner(rule) && b.owner !== 0) || b.flight !== 0 || b.dirty;
      if (!busy) leaveList(s, b);
      else if (!skip) return;
    }
    if (!skip && s.checkpoints.includes(tid)) return;
  }
}

function flush(s: JournalState): void {
  for (const b of s.blocks) b.durable = b.cached === 0 ? b.durable : b.cached;
}

/** Where the tail may move: jbd2_journal_get_log_tail. */
function newTail(s: JournalState, without: Guard | undefined): number {
  const oldest = without === "tail not past the oldest checkpoint" ? undefined : s.checkpoints[0];
  if (oldest !== undefined) return oldest;
  if (s.committing !== 0 && without !== "tail not past the committing") return s.committing;
  return s.running !== 0 ? s.running : s.last + 1;
}

/**
 * Everything that may happen in a state. A policy's answers are among it at any time (drop clean
 * buffers, write home, ask for a commit, move the tail), so that whatever a policy decides is one
 * of the paths.
 */
export function transitionsOf(s: JournalState, bounds: Bounds): Transition[] {
  const { rule, transactions, without } = bounds;
  const all: Transition[] = [];
  const may = (what: string, change: (to: JournalState) => void) => {
    const to = copyState(s);
    change(to);
    all.push({ what, to });
  };
  for (const [i, b] of s.blocks.entries()) {
    const held = b.owner === s.running || b.next === s.running;
    const begins = s.running === 0;
    if ((!begins || s.last < transactions) && (begins || !held) && b.flight === 0) {
      may(`a handle of T${begins ? s.last + 1 : s.running} changes block ${i}`, (to) =>
        take(to, i),
      );
    }
    const homeless =
      without === "no home write of a held buffer"
        ? b.memory !== b.cached
        : b.dirty && b.owner === 0;
    if (homeless && b.flight === 0) {
      may(`block ${i} is sent home`, (to) => send(to, i));
    }
    if (b.flight !== 0) may(`block ${i}'s home write is done`, (to) => arrive(to, i));
  }
  if (s.running !== 0 && s.committing === 0) {
    may(`T${s.running} begins to commit; cleanup by ${rule}`, (to) => {
      clean(to, rule, skipsBusy(rule));
      to.committing = to.running;
      to.running = 0;
      to.recorded = false;
    });
  }
  if (s.committing !== 0 && !s.recorded) {
    may(`the log blocks and the record of T${s.committing} are durable`, record);
  }
  if (s.committing !== 0 && (s.recorded || without === "record before the end of a commit")) {
    may(`the commit of T${s.committing} ends`, end);
  }
  if (s.checkpoints.length > 0) {
    may("the shrinker or a policy drops clean buffers", (to) => clean(to, rule, true));
  }
  const tail = newTail(s, without);
  if (tail > s.tail) {
    may(`flush, then the tail moves to T${tail}`, (to) => {
      if (without !== "flush before the tail") flush(to);
      to.tail = tail;
    });
  }
  if (s.blocks.some((b) => b.cached !== 0 && b.cached !== b.durable)) {
    may("the device flushes its cache", flush);
  }
  return all;
}

function take(s: JournalState, i: number): void {
  if (s.running === 0) s.running = ++s.last;
  const b = s.blocks[i];
  if (b === undefined) return;
  if (b.owner === 0) b.owner = s.running;
  else b.next = s.running;
  b.dirty = false; // jbddirty from here on
  b.memory = s.running;
}
function send(s: JournalState, i: number): void {
  const b = s.blocks[i];
  if (b === undefined) return;
  b.flight = b.memory;
  b.dirty = false;
}
function arrive(s: JournalState, i: number): void {
  const b = s.blocks[i];
  if (b === undefined) return;
  b.cached = b.flight;
  b.flight = 0;
}
/** The record carries a preflush: what had reached the device before is durable. */
function record(s: JournalState): void {
  flush(s);
  for (const b of s.blocks) {
    if (b.owner === s.committing) b.committed = s.committing;
  }
  s.recorded = true;
}
function end(s: JournalState): void {
  const tid = s.committing;
  s.checkpoints.push(tid);
  for (const b of s.blocks) {
    if (b.owner !== tid) continue;
    leaveList(s, b);
    b.checkpoint = tid;
    b.owner = b.next;
    b.next = 0;
    b.dirty = b.owner === 0;
  }
  if (!s.blocks.some((b) => b.checkpoint === tid)) {
    s.checkpoints = s.checkpoints.filter((each) => each !== tid);
  }
  s.committing = 0;
  s.recorded = false;
}
