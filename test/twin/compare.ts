import type { RunStats } from "@jbdlab/core-wasm";

function flatten(value: unknown, path: string, into: Map<string, unknown>): void {
  if (typeof value !== "object" || value === null) {
    into.set(path, value);
    return;
  }
  for (const [key, inner] of Object.entries(value)) {
    flatten(inner, path === "" ? key : `${path}.${key}`, into);
  }
}

/**
 * Every figure in which two runs differ, one line each; empty when they agree. The number of cuts
 * is left out: each judge looks when it wants to.
 */
export function differences(core: RunStats, twin: RunStats): string[] {
  const [a, b] = [core, twin].map((stats) => {
    const flat = new Map<string, unknown>();
    flatten(stats, "", flat);
    flat.delete("crash.cuts");
    return flat;
  }) as [Map<string, unknown>, Map<string, unknown>];
  const names = [...new Set([...a.keys(), ...b.keys()])];
  return names
    .filter((name) => a.get(name) !== b.get(name))
    .map((name) => `${name}: core ${String(a.get(name))}, twin ${String(b.get(name))}`);
}
