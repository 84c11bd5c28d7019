// One line per policy: this is the second of the two touches that add one.
export { eagerCleanup } from "./eager-cleanup.js";
export { infiniteLog } from "./infinite-log.js";
export { jbd2 } from "./jbd2.js";
export { threshold } from "./threshold.js";
