/** The rule a policy, or the text that names one, has broken. */
export type PolicyRule =
  | "definition"
  | "unknown-policy"
  | "load"
  | "unknown-parameter"
  | "bad-value"
  | "syntax"
  | "settings"
  | "composition"
  | "threw"
  | "returned-a-value"
  | "mutated-its-view"
  | "illegal-answer"
  | "too-many-answers"
  | "answered-too-late"
  | "too-slow"
  | "wrong-journal";

/**
 * A policy broke a rule. `message` is one line: the policy, where, what was expected, what was
 * found. A run that throws it has no result; the broken answer never reached the core.
 */
export class PolicyError extends Error {
  override readonly name = "PolicyError";

  constructor(
    /** The policy's name, or the text that was to name one. */
    readonly policy: string,
    readonly rule: PolicyRule,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** What was found, short enough for an error line: strings quoted, objects named by their type. */
export function found(value: unknown): string {
  if (typeof value === "string") {
    return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}...` : value);
  }
  if (typeof value === "function") {
    return "a function";
  }
  if (typeof value === "object" && value !== null) {
    return Array.isArray(value) ? "an array" : `an object (${value.constructor?.name ?? "null"})`;
  }
  return typeof value === "bigint" ? `${value}n` : String(value);
}
