export type { DriverOptions, NamedDriver } from "./driver.js";
export { PolicyError, type PolicyRule } from "./error.js";
export { MAX_ANSWERS, MAX_DELAY_NS, MIN_TICK_NS } from "./guarded-answers.js";
export { type InstantiateOptions, instantiate } from "./instantiate.js";
export { type LoadOptions, loadPolicy } from "./load.js";
export { logShare, transactionShare, usedBlocks, waitLimit } from "./log-space.js";
export { nearest } from "./nearest.js";
export {
  type BooleanParameter,
  type ChoiceParameter,
  type NumberParameter,
  type Parameter,
  type ParameterSet,
  type ParameterValue,
  type ParameterValues,
  rangeOf,
} from "./parameters.js";
export { POINT_NAMES, Point, type PointName } from "./points.js";
export { definePolicy, type PolicyDefinition, type PolicyDoc } from "./policy.js";
export { findPolicy, listPolicies } from "./registry.js";
export { MAINLINE_SETTINGS } from "./settings.js";
export { type PolicyPart, type PolicySpec, parsePolicy, specFor } from "./spec.js";
