import type { PolicyAnswers, PolicySettings, PolicyView } from "@jbdlab/core-wasm";
import { checkDefinition } from "./definition.js";
import type { ParameterSet, ParameterValues } from "./parameters.js";
import type { PointName } from "./points.js";

/** What a reader must know of a policy; help, docs and reports print these fields as they are. */
export interface PolicyDoc {
  /** Lower case, digits and dashes; unique in a registry. */
  readonly name: string;
  /** One line for lists. */
  readonly summary: string;
  readonly idea: string;
  /** The system, mail or issue it was taken from. */
  readonly source: string;
  /** When it acts. */
  readonly trigger: string;
  /** What it costs: home writes, flushes, CPU time, smaller transactions. */
  readonly cost: string;
  readonly whoWaits: string;
  /** Why a power cut at any moment loses nothing that was acknowledged. */
  readonly whySafe: string;
  /** How concepts without a counterpart in jbd2 were mapped. */
  readonly mapping?: string;
}

/**
 * A checkpoint policy. It owns no mechanism: it is asked at decision points, looks at a read-only
 * view and answers with commands that the core carries out safely or refuses.
 */
export interface PolicyDefinition<P extends ParameterSet = ParameterSet, S extends object = object>
  extends PolicyDoc {
  readonly parameters: P;
  /** All points at which `decide` may be called. */
  readonly decisionPoints: readonly PointName[];
  /** The points needed with these parameters, when fewer than `decisionPoints`. */
  needs?(params: ParameterValues<P>): readonly PointName[];
  /** What to change of mainline's settings. */
  settings?(params: ParameterValues<P>): Partial<PolicySettings>;
  /** Runs on a journal this many times the size that was asked for; 1 without it. */
  journalFactor?(params: ParameterValues<P>): number;
  /** A complaint about parameters that do not fit together, or undefined. */
  check?(params: ParameterValues<P>): string | undefined;
  /** What the policy remembers between decisions; made anew for every run. Default: `{}`. */
  state?(params: ParameterValues<P>): S;
  /** Called once before the first handle: the place to arm the first threshold or tick. */
  start?(view: PolicyView, answers: PolicyAnswers, params: ParameterValues<P>, state: S): void;
  /**
   * Called at each decision point. View and answers are good during the call only. Must return
   * nothing and must not read clocks or Math.random: the same views must give the same answers.
   */
  decide(view: PolicyView, answers: PolicyAnswers, params: ParameterValues<P>, state: S): void;
}

/**
 * Declares a policy; from plain JavaScript as well as from TypeScript, where `params` and `state`
 * are typed by what `parameters` and `state()` say. Returns the definition, frozen.
 *
 * Throws PolicyError (definition) that names the field: a missing doc line, a default outside its
 * range, an unknown decision point, a misspelled key.
 */
export function definePolicy<const P extends ParameterSet, S extends object = object>(
  definition: PolicyDefinition<P, S>,
): PolicyDefinition<P, S> {
  checkDefinition(definition);
  return Object.freeze({ ...definition });
}
