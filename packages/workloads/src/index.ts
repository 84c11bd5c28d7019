/** Workloads for jbd2: generators of handle records, and readers of recorded ones. */
export { WorkloadError } from "./error.js";
export { Geometry, type GeometryOptions } from "./ext4/geometry.js";
export { fsmark } from "./fsmark.js";
export { fsyncAppend } from "./fsync-append.js";
export { hotSet } from "./hot-set.js";
export * from "./import/index.js";
export { mailSpool } from "./mail-spool.js";
export {
  type Parameter,
  type ParameterSet,
  type ParameterValue,
  type ParameterValues,
  parseSize,
  rangeOf,
  resolveParameters,
} from "./parameters.js";
export {
  FILE_WORKLOADS,
  type FileWorkloadKind,
  listWorkloads,
  type OpenedWorkload,
  parseWorkload,
  type WorkloadSpec,
  workloadNamed,
  workloadSpec,
} from "./registry.js";
export { removeTree } from "./remove-tree.js";
export { untar } from "./untar.js";
export { measureWork, scaleToWraps, type WorkMeasure } from "./work.js";
export {
  defineWorkload,
  type GeneratedWorkload,
  type TypedWorkload,
  type WorkloadContext,
  type WorkloadDefinition,
  type WorkloadDoc,
} from "./workload.js";
