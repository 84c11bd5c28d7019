import type { Workload } from "@jbdlab/core-wasm";
import type { Geometry } from "./ext4/geometry.js";
import type { ParameterSet, ParameterValues } from "./parameters.js";

/** What a workload is made in: the world around its parameters. */
export interface WorkloadContext {
  /** Any integer; the same seed gives the same records. */
  readonly seed: number;
  /** Where the file system's blocks are. */
  readonly geometry: Geometry;
  /**
   * Size of the log the records will run against, blocks: imported workloads repeat until it has
   * wrapped.
   */
  readonly journalBlocks: number;
  /** Largest transaction, blocks; default a third of the log (Linux 6.11 and later). */
  readonly maxTransactionBlocks?: number;
  /**
   * How often an imported workload should fill the log when its options do not say how often to
   * repeat it.
   */
  readonly wraps?: number;
  /** Overrides a workload's own `threads` parameter, 1 ... 256. */
  readonly threads?: number;
  /** `key=value` pairs that followed the file name of `journal:` or `handles:`. */
  readonly options?: Readonly<Record<string, string>>;
}

/** What help, documentation and `list` say about a workload. */
export interface WorkloadDoc {
  /** What it does, in a sentence or two. */
  readonly idea: string;
  /** Where the pattern comes from: a benchmark's source, a kernel function, a recording. */
  readonly source: string;
  /** Which blocks a handle touches, in order. */
  readonly blocks: string;
  /** What another seed changes. */
  readonly seedVaries: string;
}

/** A generator's stream of records, which also tells how far it is. */
export interface GeneratedWorkload extends Workload {
  /** Units of the work parameter that the furthest thread has begun. */
  readonly unitsBegun: number;
}

/** A workload generator: named, with typed parameters, made once per run. */
export interface WorkloadDefinition {
  /** Lower case, words joined by "-". */
  readonly name: string;
  /** One line for `list`. */
  readonly summary: string;
  readonly doc: WorkloadDoc;
  readonly parameters: ParameterSet;
  /** The parameter that sets how much work there is (see `scaleToWraps`). */
  readonly work: string;
  /** The most work that the parameter and the geometry allow. */
  mostWork(parameters: ParameterValues, context: WorkloadContext): number;
  /**
   * A fresh stream of records. `parameters` is what `resolveParameters` returned for this
   * definition; throws WorkloadError when they do not fit together or do not fit the geometry.
   */
  create(parameters: ParameterValues, context: WorkloadContext): GeneratedWorkload;
}

/** A definition whose `create` knows the types of its parameters. */
export interface TypedWorkload<P extends ParameterSet>
  extends Pick<WorkloadDefinition, "name" | "summary" | "doc"> {
  readonly parameters: P;
  readonly work: keyof P & string;
  /** Default: the parameter's own maximum. */
  mostWork?(parameters: ParameterValues<P>, context: WorkloadContext): number;
  create(parameters: ParameterValues<P>, context: WorkloadContext): GeneratedWorkload;
}

/**
 * Lets TypeScript infer the parameters' types, then forgets them: `resolveParameters` has checked
 * the values against the same set.
 */
export function defineWorkload<const P extends ParameterSet>(
  definition: TypedWorkload<P>,
): WorkloadDefinition {
  const parameter = definition.parameters[definition.work]!;
  const most = "max" in parameter ? parameter.max : 1;
  return { mostWork: () => most, ...definition } as unknown as WorkloadDefinition;
}
