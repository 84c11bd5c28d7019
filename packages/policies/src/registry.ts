import * as builtIn from "./built-in.js";
import { found, PolicyError } from "./error.js";
import { nearest } from "./nearest.js";
import type { PolicyDefinition } from "./policy.js";

const BY_NAME: ReadonlyMap<string, PolicyDefinition> = new Map(
  Object.values(builtIn)
    .map((definition): PolicyDefinition => definition)
    .sort((a, b) => rank(a) - rank(b) || (a.name < b.name ? -1 : 1))
    .map((definition) => [definition.name, definition]),
);

/** Mainline stands first, what others are compared with; the rest by name. */
function rank(definition: PolicyDefinition): number {
  return definition.name === "jbd2" ? 0 : 1;
}

/** The built-in policies: `jbd2`, then by name. Help, sweeps, docs and conformance iterate this. */
export function listPolicies(): readonly PolicyDefinition[] {
  return [...BY_NAME.values()];
}

/** A built-in policy. Throws PolicyError (unknown-policy) that suggests the nearest name. */
export function findPolicy(name: string): PolicyDefinition {
  const definition = BY_NAME.get(name);
  if (definition === undefined) {
    const hint = `did you mean ${nearest(name, BY_NAME.keys())}?`;
    throw new PolicyError(name, "unknown-policy", `unknown policy ${found(name)}; ${hint}`);
  }
  return definition;
}
