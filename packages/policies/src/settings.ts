import type { PolicySettings } from "@jbdlab/core-wasm";
import { found, PolicyError } from "./error.js";
import { nearest } from "./nearest.js";

/** Mainline jbd2: cleanup as the rule says, close at the maximum, move the tail for a maximum. */
export const MAINLINE_SETTINGS: PolicySettings = Object.freeze({
  commitCleanup: "rule",
  cleanBeforeTail: false,
  closeShare: 1,
  tailShare: 1,
  infiniteLog: false,
  writeHomeAtCommitEnd: false,
});

type Check = { readonly legal: (value: unknown) => boolean; readonly expected: string };

const truth: Check = { legal: (value) => typeof value === "boolean", expected: "true or false" };
const within = (min: number, max: number): Check => ({
  legal: (value) => typeof value === "number" && value >= min && value <= max,
  expected: `a number from ${min} to ${max}`,
});

const CHECKS: { readonly [K in keyof PolicySettings]: Check } = {
  commitCleanup: {
    legal: (value) => value === "rule" || value === "stop" || value === "skip",
    expected: "rule | stop | skip",
  },
  cleanBeforeTail: truth,
  closeShare: within(0.05, 1),
  tailShare: within(0, 4),
  infiniteLog: truth,
  writeHomeAtCommitEnd: truth,
};

/** Throws PolicyError (settings) unless every key is a setting and every value in its range. */
export function checkSettings(policy: string, settings: unknown): Partial<PolicySettings> {
  if (typeof settings !== "object" || settings === null || Array.isArray(settings)) {
    const message = `policy ${policy}: settings: expected an object, found ${found(settings)}`;
    throw new PolicyError(policy, "settings", message);
  }
  for (const [key, value] of Object.entries(settings)) {
    const check = Object.hasOwn(CHECKS, key) ? CHECKS[key as keyof PolicySettings] : undefined;
    if (check === undefined) {
      const hint = `did you mean ${nearest(key, Object.keys(CHECKS))}?`;
      const message = `policy ${policy}: settings: unknown setting ${found(key)}; ${hint}`;
      throw new PolicyError(policy, "settings", message);
    }
    if (!check.legal(value)) {
      const wrong = `expected ${check.expected}, found ${found(value)}`;
      throw new PolicyError(policy, "settings", `policy ${policy}: settings.${key}: ${wrong}`);
    }
  }
  return settings as Partial<PolicySettings>;
}

/**
 * One set of settings out of several declarations. Two policies may declare the same value, never
 * different ones: throws PolicyError (composition) that names both.
 */
export function mergeSettings(
  declared: readonly { readonly name: string; readonly settings: Partial<PolicySettings> }[],
): Partial<PolicySettings> {
  const merged: Record<string, unknown> = {};
  const owner = new Map<string, string>();
  const whole = declared.map((each) => each.name).join("+");
  for (const { name, settings } of declared) {
    for (const [key, value] of Object.entries(settings)) {
      const first = owner.get(key);
      if (first !== undefined && merged[key] !== value) {
        const values = `${first} wants ${found(merged[key])}, ${name} wants ${found(value)}`;
        throw new PolicyError(whole, "composition", `policy ${whole}: settings.${key}: ${values}`);
      }
      owner.set(key, first ?? name);
      merged[key] = value;
    }
  }
  return merged as Partial<PolicySettings>;
}
