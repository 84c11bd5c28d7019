export * from "./contract.js";
export { CoreError, type CoreErrorCode } from "./errors.js";
export * from "./results.js";
export { type RunOptions, Simulation } from "./simulation.js";
export type { TraceEvent } from "./trace.js";
export { loadCore } from "./wasm.js";
