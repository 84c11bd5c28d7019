import type { PolicyAnswers, PolicyDriver, PolicySettings, PolicyView } from "@jbdlab/core-wasm";
import { found, PolicyError, type PolicyRule } from "./error.js";
import { GuardedAnswers } from "./guarded-answers.js";
import { GuardedView } from "./guarded-view.js";
import { maskOf, pointName } from "./points.js";
import type { PolicyDefinition } from "./policy.js";
import { checkSettings, MAINLINE_SETTINGS } from "./settings.js";
import type { PolicyPart } from "./spec.js";
import { callWithin, TimeUp } from "./watchdog.js";

/** A driver that knows which policy it is. */
export interface NamedDriver extends PolicyDriver {
  /** The text that names the same policy with the same parameters. */
  readonly name: string;
  /** What the policy changes of mainline's settings. */
  readonly declared: Partial<PolicySettings>;
  /** The journal must be this many times the size that was asked for (see `bigger-journal`). */
  readonly journalFactor: number;
}

export interface DriverOptions {
  /** Stop a decision after this many milliseconds of wall time; costs 0.2 ms per decision. */
  readonly deadlineMs?: number;
  /** Only the first this many decisions of a driver have the deadline; default: all. */
  readonly timedDecisions?: number;
  /**
   * Shared with whoever watches: element 0 is odd while the policy is being asked and changes with
   * every decision, so a loop shows as an odd value that stays.
   */
  readonly heartbeat?: Int32Array;
}

/** Drives one policy and lets nothing through that breaks a rule. */
export class GuardedDriver implements NamedDriver {
  readonly name: string;
  readonly declared: Partial<PolicySettings>;
  readonly settings: PolicySettings;
  readonly decisionMask: number;
  readonly journalFactor: number;
  readonly #definition: PolicyDefinition;
  readonly #params: PolicyPart["params"];
  readonly #view: GuardedView;
  readonly #answers: GuardedAnswers;
  readonly #deadlineMs: number;
  #timedDecisions: number;
  readonly #heartbeat: Int32Array | undefined;
  #state: object = {};
  #where = "definition";
  #broken: PolicyError | undefined;

  constructor(part: PolicyPart, options: DriverOptions = {}) {
    const { definition, params } = part;
    this.name = part.text;
    this.#definition = definition;
    this.#params = params;
    this.#deadlineMs = options.deadlineMs ?? 0;
    this.#timedDecisions = options.timedDecisions ?? Number.POSITIVE_INFINITY;
    this.#heartbeat = options.heartbeat;
    const declared = this.#declare("settings", () => definition.settings?.(params) ?? {});
    this.declared = checkSettings(this.name, declared);
    this.settings = Object.freeze({ ...MAINLINE_SETTINGS, ...this.declared });
    this.journalFactor =
      this.#declare("journalFactor", () => definition.journalFactor?.(params)) ?? 1;
    const needs = this.#declare("needs", () => definition.needs?.(params));
    this.decisionMask = maskOf(needs ?? definition.decisionPoints);
    this.#view = new GuardedView((field) =>
      this.#fail("mutated-its-view", `the view is read-only, but ${field} was assigned`),
    );
    this.#answers = new GuardedAnswers(this.decisionMask, (rule, text) => this.#fail(rule, text));
    this.#renew();
  }

  start(view: PolicyView, answers: PolicyAnswers): void {
    this.#broken = undefined;
    this.#renew();
    this.#where = "start";
    if (this.#definition.start !== undefined) {
      this.#call("start", view, answers);
    }
  }

  decide(view: PolicyView, answers: PolicyAnswers): void {
    this.#where = pointName(view.point);
    this.#call("decide", view, answers);
  }

  #call(method: "start" | "decide", view: PolicyView, answers: PolicyAnswers): void {
    const shown = this.#view.show(view);
    this.#answers.open(answers);
    this.#beat();
    let returned: unknown;
    const work = () => {
      returned = this.#definition[method]?.(shown, this.#answers, this.#params, this.#state);
    };
    try {
      if (this.#deadlineMs > 0 && this.#timedDecisions > 0) {
        this.#timedDecisions--;
        callWithin(this.#deadlineMs, work);
      } else {
        work();
      }
    } catch (error) {
      this.#rethrow(error);
    } finally {
      this.#answers.close();
      this.#beat();
    }
    if (this.#broken !== undefined) {
      throw this.#broken;
    }
    if (returned !== undefined) {
      const what = returned instanceof Promise ? "a promise" : found(returned);
      this.#fail("returned-a-value", `expected no return value, found ${what}`);
    }
  }

  #beat(): void {
    if (this.#heartbeat !== undefined) {
      Atomics.add(this.#heartbeat, 0, 1);
    }
  }

  #renew(): void {
    this.#state = this.#declare("state", () => this.#definition.state?.(this.#params)) ?? {};
  }

  #declare<T>(where: string, work: () => T): T {
    this.#where = where;
    try {
      return work();
    } catch (error) {
      return this.#rethrow(error);
    }
  }

  #rethrow(error: unknown): never {
    if (this.#broken !== undefined) {
      throw this.#broken;
    }
    if (error instanceof TimeUp) {
      this.#fail("too-slow", error.message);
    }
    if (error instanceof TypeError && /extensible|read only|redefine/.test(error.message)) {
      this.#fail("mutated-its-view", error.message, error);
    }
    const text = error instanceof Error ? error.message : found(error);
    this.#fail("threw", `threw ${text}`, error);
  }

  #fail(rule: PolicyRule, message: string, cause?: unknown): never {
    const text = `policy ${this.name} at ${this.#where}: ${message.split("\n")[0]}`;
    // The first broken rule counts, also when the policy catches it.
    this.#broken ??= new PolicyError(this.name, rule, text, { cause });
    throw this.#broken;
  }
}
