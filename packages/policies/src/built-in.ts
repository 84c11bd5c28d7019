// One line per policy: this is the second of the two touches that add one.
export { adaptive } from "./adaptive.js";
export { ailPush } from "./ail-push.js";
export { biggerJournal } from "./bigger-journal.js";
export { delay } from "./delay.js";
export { eagerCleanup } from "./eager-cleanup.js";
export { eagerOnCompletion } from "./eager-on-completion.js";
export { earlyCommit } from "./early-commit.js";
export { infiniteLog } from "./infinite-log.js";
export { jbd2 } from "./jbd2.js";
export { recoveryTime } from "./recovery-time.js";
export { ride } from "./ride.js";
export { ridehome } from "./ridehome.js";
export { skip } from "./skip.js";
export { spread } from "./spread.js";
export { threshold } from "./threshold.js";
