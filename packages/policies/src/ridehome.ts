import { definePolicy } from "./policy.js";
import { RIDE_PARAMETERS, rideSettings } from "./ride.js";

/** `ridehome` of the reference kernel runs. */
export const ridehome = definePolicy({
  name: "ridehome",
  summary: "ride, and every commit's end sends all writable checkpoint buffers home",
  idea: "Leave nothing dirty on the lists, so that the next commit can move the tail on its flush.",
  source: "mode ridehome of the reference kernel runs",
  trigger: "every commit: sampling the tail as ride does, writing home at its end",
  cost:
    "A home write per buffer and commit at worst: whatever is changed again soon is written for " +
    "nothing. Buffers revisited every few transactions still pin the old ones.",
  whoWaits: "Handles that want a buffer while it is being written home.",
  whySafe:
    "Only buffers that no transaction holds are written: their commit is durable. The tail moves " +
    "as in ride.",
  parameters: RIDE_PARAMETERS,
  decisionPoints: [],
  settings: (params) => ({ ...rideSettings(params), writeHomeAtCommitEnd: true }),
  decide() {},
});
