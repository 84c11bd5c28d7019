import { found, PolicyError } from "./error.js";
import { nearest } from "./nearest.js";

/** `number` any finite number, `integer` a whole one, `share` a part of a whole. */
export interface NumberParameter {
  readonly kind: "number" | "integer" | "share";
  readonly default: number;
  /** Inclusive. */
  readonly min: number;
  /** Inclusive. */
  readonly max: number;
  /** Unit of the value as printed by help: "blocks", "ms", "of the log" ... */
  readonly unit: string;
  readonly help: string;
}

export interface BooleanParameter {
  readonly kind: "boolean";
  readonly default: boolean;
  readonly help: string;
}

export interface ChoiceParameter {
  readonly kind: "choice";
  readonly default: string;
  readonly choices: readonly string[];
  readonly help: string;
}

export type Parameter = NumberParameter | BooleanParameter | ChoiceParameter;
export type ParameterSet = Readonly<Record<string, Parameter>>;
export type ParameterValue = number | boolean | string;

/** The value type of each parameter: number, boolean, or the union of a choice's words. */
export type ParameterValues<P extends ParameterSet> = {
  readonly [K in keyof P]: P[K] extends { readonly kind: "boolean" }
    ? boolean
    : P[K] extends { readonly kind: "choice"; readonly choices: readonly (infer C)[] }
      ? C
      : P[K] extends { readonly kind: "number" | "integer" | "share" }
        ? number
        : ParameterValue;
};

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;

/** What a parameter accepts, in words: "a number from 0 to 1", "true or false", "stop | skip". */
export function rangeOf(parameter: Parameter): string {
  switch (parameter.kind) {
    case "boolean":
      return "true or false";
    case "choice":
      return parameter.choices.join(" | ");
    default: {
      const noun = parameter.kind === "integer" ? "a whole number" : "a number";
      return `${noun} from ${parameter.min} to ${parameter.max}`;
    }
  }
}

/** Why `value` is not allowed; undefined when it is. */
export function complaint(parameter: Parameter, value: unknown): string | undefined {
  const legal =
    parameter.kind === "boolean"
      ? typeof value === "boolean"
      : parameter.kind === "choice"
        ? typeof value === "string" && parameter.choices.includes(value)
        : typeof value === "number" &&
          value >= parameter.min &&
          value <= parameter.max &&
          (parameter.kind !== "integer" || Number.isInteger(value));
  return legal ? undefined : `expected ${rangeOf(parameter)}, found ${found(value)}`;
}

/** Reads a command line's text; text that is no number or truth value comes back unread. */
export function readValue(parameter: Parameter, text: string): ParameterValue {
  if (parameter.kind === "boolean") {
    return text === "true" ? true : text === "false" ? false : text;
  }
  return parameter.kind !== "choice" && NUMBER.test(text) ? Number(text) : text;
}

/**
 * All values of a parameter set: the given ones, the defaults elsewhere. Frozen.
 *
 * Throws PolicyError (unknown-parameter with the nearest name, bad-value with the range).
 */
export function resolveParameters(
  policy: string,
  parameters: ParameterSet,
  given: Readonly<Record<string, unknown>> = {},
): Readonly<Record<string, ParameterValue>> {
  for (const [name, value] of Object.entries(given)) {
    const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (parameter === undefined) {
      throw unknownParameter(policy, parameters, name);
    }
    const wrong = complaint(parameter, value);
    if (wrong !== undefined) {
      throw new PolicyError(policy, "bad-value", `policy ${policy}: parameter ${name}: ${wrong}`);
    }
  }
  const values = Object.entries(parameters).map(([name, parameter]) => [
    name,
    given[name] ?? parameter.default,
  ]);
  return Object.freeze(Object.fromEntries(values));
}

export function unknownParameter(
  policy: string,
  parameters: ParameterSet,
  name: string,
): PolicyError {
  const near = nearest(name, Object.keys(parameters));
  const hint = near === undefined ? "it has no parameters" : `did you mean ${near}?`;
  const message = `policy ${policy}: unknown parameter ${found(name)}; ${hint}`;
  return new PolicyError(policy, "unknown-parameter", message);
}
