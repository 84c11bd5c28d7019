import { initialState, type JournalState, keyOf, lossOf } from "./state.js";
import { type Bounds, transitionsOf } from "./transitions.js";

export interface ExploreOptions extends Bounds {
  readonly blocks: number;
  /** States after which the search gives up; default 5 million. */
  readonly maxStates?: number;
  readonly signal?: { readonly aborted: boolean };
}

export interface Exploration {
  /** Distinct states; each is a moment at which the power may be cut. */
  readonly states: number;
  readonly transitions: number;
  /** Longest of the shortest ways to a state. */
  readonly depth: number;
  /** Every state within the bounds was seen. */
  readonly complete: boolean;
  /** The shortest way to a loss: what happened, then what a power cut loses. */
  readonly story: readonly string[];
}

const DEFAULT_STATES = 5_000_000;

interface Seen {
  readonly state: JournalState;
  readonly depth: number;
  readonly from: number;
  readonly what: string;
}

/** Breadth first through every interleaving; stops at the first loss: its way is a shortest. */
export function explore(options: ExploreOptions): Exploration {
  const { blocks, maxStates = DEFAULT_STATES, signal } = options;
  const start = initialState(blocks);
  const seen: Seen[] = [{ state: start, depth: 0, from: -1, what: "" }];
  const keys = new Set([keyOf(start)]);
  let transitions = 0;
  for (let at = 0; at < seen.length; at++) {
    const here = seen[at];
    if (here === undefined) break;
    if (at % 4096 === 0 && signal?.aborted === true) return outcome(seen, transitions, false, []);
    for (const { what, to } of transitionsOf(here.state, options)) {
      transitions++;
      const key = keyOf(to);
      if (keys.has(key)) continue;
      keys.add(key);
      seen.push({ state: to, depth: here.depth + 1, from: at, what });
      const loss = lossOf(to);
      if (loss !== undefined) {
        return outcome(seen, transitions, false, [
          ...wayTo(seen, seen.length - 1),
          `power cut: ${loss}`,
        ]);
      }
      if (seen.length >= maxStates) return outcome(seen, transitions, false, []);
    }
  }
  return outcome(seen, transitions, true, []);
}

function outcome(
  seen: readonly Seen[],
  transitions: number,
  complete: boolean,
  story: readonly string[],
): Exploration {
  return { states: seen.length, transitions, depth: seen.at(-1)?.depth ?? 0, complete, story };
}

function wayTo(seen: readonly Seen[], index: number): string[] {
  const way: string[] = [];
  for (let at = index; at > 0; at = seen[at]?.from ?? 0) way.unshift(seen[at]?.what ?? "");
  return way;
}
