import { found, PolicyError } from "./error.js";
import {
  type ParameterValue,
  readValue,
  resolveParameters,
  unknownParameter,
} from "./parameters.js";
import type { PolicyDefinition } from "./policy.js";
import { findPolicy } from "./registry.js";

/** One policy with its parameters. */
export interface PolicyPart {
  /** What parsePolicy or loadPolicy reads back: the reference and what is not at its default. */
  readonly text: string;
  readonly definition: PolicyDefinition;
  /** Every parameter of the definition. */
  readonly params: Readonly<Record<string, ParameterValue>>;
}

/** What `a:x=1+b` says: one or more policies that share a core. */
export interface PolicySpec {
  readonly text: string;
  readonly parts: readonly PolicyPart[];
}

/** The text of one part, taken apart. */
export interface PartText {
  /** A policy's name, a path or a package. */
  readonly ref: string;
  /** `name=value` in order. */
  readonly values: readonly (readonly [name: string, value: string])[];
}

/**
 * Takes `name:parameter=value,parameter=value` joined by `+` apart. A `+` before a digit belongs to
 * a number, a `:` in a path only counts when `name=` follows.
 *
 * Throws PolicyError (syntax): what was expected where.
 */
export function splitPolicy(text: string): readonly PartText[] {
  return text.split(/\+(?!\d)/).map((part) => {
    const trimmed = part.trim();
    const at = trimmed.search(isPath(trimmed) ? /:(?=[A-Za-z]\w*=)/ : /:/);
    const ref = (at < 0 ? trimmed : trimmed.slice(0, at)).trim();
    if (ref === "") {
      throw syntax(text, `expected a policy's name, found ${found(trimmed)}`);
    }
    return { ref, values: at < 0 ? [] : splitValues(text, trimmed.slice(at + 1)) };
  });
}

/** True for what names a file or a package rather than a built-in policy. */
export function isPath(ref: string): boolean {
  return /^(\.{0,2}\/|file:|@)|[#\\]|\.[cm]?[jt]s\b/.test(ref);
}

function splitValues(text: string, list: string): PartText["values"] {
  const seen = new Set<string>();
  return list.split(",").map((pair) => {
    const match = /^\s*([A-Za-z]\w*)\s*=\s*(\S+)\s*$/.exec(pair);
    const [, name, value] = match ?? [];
    if (name === undefined || value === undefined) {
      throw syntax(text, `expected parameter=value, found ${found(pair)}`);
    }
    if (seen.has(name)) {
      throw syntax(text, `parameter ${name} is given twice`);
    }
    seen.add(name);
    return [name, value] as const;
  });
}

function syntax(text: string, message: string): PolicyError {
  return new PolicyError(text, "syntax", `policy ${found(text)}: ${message}`);
}

/**
 * Reads `threshold:low=0.4,high=0.6` or `eager-cleanup+threshold` against the registry. `text` of
 * the result is canonical: parameters in declared order, those at their default left out.
 *
 * Throws PolicyError: unknown-policy and unknown-parameter with the nearest name, bad-value with
 * the range, syntax.
 */
export function parsePolicy(text: string): PolicySpec {
  return specOf(splitPolicy(text).map((part) => makePart(findPolicy(part.ref), part)));
}

/** A spec of one policy and values that are not text. Throws as parsePolicy does. */
export function specFor(
  definition: PolicyDefinition,
  params: Readonly<Record<string, unknown>> = {},
): PolicySpec {
  return specOf([partOf(definition.name, definition, params)]);
}

/** One part, its values read as the definition's parameters say. */
export function makePart(definition: PolicyDefinition, { ref, values }: PartText): PolicyPart {
  const given: Record<string, unknown> = {};
  for (const [name, text] of values) {
    const parameter = definition.parameters[name];
    if (parameter === undefined) {
      throw unknownParameter(definition.name, definition.parameters, name);
    }
    given[name] = readValue(parameter, text);
  }
  return partOf(ref, definition, given);
}

function partOf(
  ref: string,
  definition: PolicyDefinition,
  given: Readonly<Record<string, unknown>>,
): PolicyPart {
  const { name, parameters } = definition;
  const params = resolveParameters(name, parameters, given);
  const wrong = checked(definition, params);
  if (wrong !== undefined) {
    throw new PolicyError(name, "bad-value", `policy ${name}: ${wrong}`);
  }
  const changed = Object.entries(params)
    .filter(([key, value]) => value !== parameters[key]?.default)
    .map(([key, value]) => `${key}=${value}`);
  const text = changed.length === 0 ? ref : `${ref}:${changed.join(",")}`;
  return Object.freeze({ text, definition, params });
}

function checked(definition: PolicyDefinition, params: PolicyPart["params"]): string | undefined {
  try {
    return definition.check?.(params);
  } catch (cause) {
    const message = `policy ${definition.name} at check: threw ${(cause as Error)?.message}`;
    throw new PolicyError(definition.name, "threw", message, { cause });
  }
}

/** Throws PolicyError (composition) when a policy stands twice. */
export function specOf(parts: readonly PolicyPart[]): PolicySpec {
  const text = parts.map((part) => part.text).join("+");
  const names = parts.map((part) => part.definition.name);
  const twice = names.find((name, i) => names.indexOf(name) !== i);
  if (twice !== undefined) {
    const message = `policy ${text}: ${twice} stands twice`;
    throw new PolicyError(text, "composition", message);
  }
  return Object.freeze({ text, parts: Object.freeze([...parts]) });
}
