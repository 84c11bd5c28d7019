import type { PolicySettings } from "@jbdlab/core-wasm";
import { definePolicy } from "./policy.js";

/** The parameters of `ride` and `ridehome`. */
export const RIDE_PARAMETERS = {
  close: {
    kind: "share",
    default: 0.875,
    min: 0.25,
    max: 1,
    unit: "of a maximum transaction",
    help: "the running transaction is closed at this size",
  },
  tail: {
    kind: "share",
    default: 0.125,
    min: 0,
    max: 4,
    unit: "of a maximum transaction",
    help: "a commit moves the tail if that frees at least this much",
  },
} as const;

export function rideSettings(params: { close: number; tail: number }): Partial<PolicySettings> {
  return { closeShare: params.close, cleanBeforeTail: true, tailShare: params.tail };
}

/** `ride` of the reference kernel runs: the tail rides on the flush that a commit makes anyway. */
export const ride = definePolicy({
  name: "ride",
  summary: "commits close early, clean before sampling the tail and move it for little",
  idea:
    "A commit record needs a flush anyway. If the commit cleans first and is content with a " +
    "small gain, the tail rides on that flush and handles find space without paying for one.",
  source: "mode ride of the reference kernel runs",
  trigger: "every commit, just before it samples the new tail",
  cost: "Smaller transactions, one more scan and up to one superblock write per commit.",
  whoWaits: "Nobody; commits take longer by the scan and the superblock.",
  whySafe:
    "The commit's own preflush covers the home writes before the superblock with the new tail " +
    "goes out, as in mainline; cleaning follows the rule of the kernel.",
  parameters: RIDE_PARAMETERS,
  decisionPoints: [],
  settings: rideSettings,
  decide() {},
});
