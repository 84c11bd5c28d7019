import { definePolicy } from "./policy.js";

/** `skip` of the reference kernel runs. */
export const skip = definePolicy({
  name: "skip",
  summary: "commit-time cleanup goes past busy buffers instead of stopping at the first",
  idea: "A busy buffer at the head of a list should not hide the clean ones behind it.",
  source: "Linux b98dba273a0e (6.5-rc), undone by 590a809ff743; mode skip of the reference runs",
  trigger: "every commit's start, and where a tail is sampled",
  cost:
    "kjournald looks at every buffer of the first transaction that it cannot release, at every " +
    "commit, holding the list lock: 5e4 to 6e6 buffers per pass were seen.",
  whoWaits: "Nobody directly; handles that need the list lock, and the commit that scans.",
  whySafe: "Only the walk is longer: what may leave a list is what v4 lets leave it.",
  parameters: {},
  decisionPoints: [],
  settings: () => ({ commitCleanup: "skip" }),
  decide() {},
});
