import { WorkloadError } from "./error.js";
import { nearest } from "./nearest.js";

/**
 * `number` any finite number, `integer` a whole one, `size` bytes (a command line may say 4KiB).
 */
export interface NumberParameter {
  readonly kind: "number" | "integer" | "size";
  readonly default: number;
  /** Inclusive. */
  readonly min: number;
  /** Inclusive. */
  readonly max: number;
  /** Unit of the value as help prints it: "files", "bytes", "ns" ... */
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

/** The value type of each parameter. */
export type ParameterValues<P extends ParameterSet = ParameterSet> = {
  readonly [K in keyof P]: P[K] extends { readonly kind: "boolean" }
    ? boolean
    : P[K] extends { readonly kind: "choice"; readonly choices: readonly (infer C)[] }
      ? C
      : P[K] extends { readonly kind: "number" | "integer" | "size" }
        ? number
        : ParameterValue;
};

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const SIZE = /^(\d+\.?\d*|\.\d+)(B|KiB|MiB|GiB|TiB|K|M|G|T)$/i;
const POWERS = "BKMGT";

/**
 * Bytes of "4KiB", "1.5M", "0"; undefined when the text is no size. K, M, G and T are powers of
 * 1024.
 */
export function parseSize(text: string): number | undefined {
  if (NUMBER.test(text)) {
    return Number(text);
  }
  const match = SIZE.exec(text);
  if (match === null) {
    return undefined;
  }
  return Number(match[1]) * 1024 ** POWERS.indexOf(match[2]!.charAt(0).toUpperCase());
}

/** What a parameter accepts, in words. */
export function rangeOf(parameter: Parameter): string {
  switch (parameter.kind) {
    case "boolean":
      return "true or false";
    case "choice":
      return parameter.choices.join(" | ");
    case "number":
      return `a number from ${parameter.min} to ${parameter.max}`;
    case "integer":
      return `a whole number from ${parameter.min} to ${parameter.max}`;
    default:
      return `a size from ${parameter.min} to ${parameter.max} bytes`;
  }
}

function found(value: unknown): string {
  return typeof value === "string" ? JSON.stringify(value.slice(0, 40)) : String(value);
}

function legal(parameter: Parameter, value: unknown): boolean {
  switch (parameter.kind) {
    case "boolean":
      return typeof value === "boolean";
    case "choice":
      return typeof value === "string" && parameter.choices.includes(value);
    default:
      return (
        typeof value === "number" &&
        value >= parameter.min &&
        value <= parameter.max &&
        (parameter.kind === "number" || Number.isInteger(value))
      );
  }
}

/** Reads a command line's text; text that fits no kind comes back unread and is refused later. */
export function readValue(parameter: Parameter, text: string): ParameterValue {
  switch (parameter.kind) {
    case "boolean":
      return text === "true" ? true : text === "false" ? false : text;
    case "choice":
      return text;
    case "size":
      return parseSize(text) ?? text;
    default:
      return NUMBER.test(text) ? Number(text) : text;
  }
}

/**
 * All values of a parameter set: the given ones, the defaults elsewhere. Frozen.
 * Throws WorkloadError on an unknown name (with the nearest one) or a value outside the range.
 */
export function resolveParameters<P extends ParameterSet>(
  workload: string,
  parameters: P,
  given: Readonly<Record<string, unknown>> = {},
): ParameterValues<P> {
  for (const [name, value] of Object.entries(given)) {
    const parameter = parameterNamed(workload, parameters, name);
    if (!legal(parameter, value)) {
      const wanted = `expected ${rangeOf(parameter)}, found ${found(value)}`;
      throw new WorkloadError(workload, `workload ${workload}: parameter ${name}: ${wanted}`);
    }
  }
  const values = Object.entries(parameters).map(([name, parameter]) => [
    name,
    given[name] ?? parameter.default,
  ]);
  return Object.freeze(Object.fromEntries(values)) as ParameterValues<P>;
}

/** The parameter of this name; throws WorkloadError with the nearest name otherwise. */
export function parameterNamed(
  workload: string,
  parameters: ParameterSet,
  name: string,
): Parameter {
  const parameter = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
  if (parameter === undefined) {
    const near = nearest(name, Object.keys(parameters));
    const hint = near === undefined ? "it has no parameters" : `did you mean ${near}?`;
    throw new WorkloadError(
      workload,
      `workload ${workload}: unknown parameter ${found(name)}; ${hint}`,
    );
  }
  return parameter;
}
