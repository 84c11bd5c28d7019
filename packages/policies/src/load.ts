import { stat } from "node:fs/promises";
import { resolve, sep } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { found, PolicyError } from "./error.js";
import { nearest } from "./nearest.js";
import { definePolicy, type PolicyDefinition } from "./policy.js";
import { findPolicy } from "./registry.js";
import { isPath, makePart, type PolicySpec, specOf, splitPolicy } from "./spec.js";

export interface LoadOptions {
  /** Folder from which relative paths and packages are looked up; default: the current one. */
  readonly from?: string;
}

/**
 * parsePolicy for policies that may come from elsewhere: `./mine.ts`, `./mine.js#name:low=0.3`,
 * `some-package#name`, alone or composed with built-in ones. TypeScript is loaded as it is. A
 * module offers its default export, or any exported object with the shape that definePolicy takes;
 * `#name` chooses by the policy's name or the export's.
 *
 * Throws PolicyError: load (nothing there, it fails while loading, no policy in it, several and
 * none chosen), definition, and whatever parsePolicy throws.
 */
export async function loadPolicy(text: string, options: LoadOptions = {}): Promise<PolicySpec> {
  const from = resolve(options.from ?? ".");
  const parts = [];
  for (const part of splitPolicy(text)) {
    const definition = isPath(part.ref) ? await fetchPolicy(part.ref, from) : findPolicy(part.ref);
    parts.push(makePart(definition, part));
  }
  return specOf(parts);
}

async function fetchPolicy(ref: string, from: string): Promise<PolicyDefinition> {
  const [target = "", wanted] = ref.split("#", 2);
  const url = await locate(ref, target, from);
  let module: Record<string, unknown>;
  try {
    module = await importModule(url);
  } catch (cause) {
    const text = cause instanceof Error ? `${cause.name}: ${cause.message}` : found(cause);
    throw failure(ref, `does not load: ${text.split("\n")[0]}`, cause);
  }
  return definePolicy(choose(ref, module, wanted));
}

async function locate(ref: string, target: string, from: string): Promise<string> {
  if (!/^(\.{0,2}\/|file:)|\\|\.[cm]?[jt]s$/.test(target)) {
    return locatePackage(ref, target, from);
  }
  const path = target.startsWith("file:") ? fileURLToPath(target) : resolve(from, target);
  const kind = await stat(path).catch(() => undefined);
  if (!kind?.isFile()) {
    const what = kind === undefined ? "nothing" : kind.isDirectory() ? "a folder" : "no file";
    throw failure(ref, `expected a module, found ${what} at ${path}`);
  }
  return pathToFileURL(path).href;
}

async function locatePackage(ref: string, name: string, from: string): Promise<string> {
  const { createJiti } = await import("jiti");
  const parent = pathToFileURL(from + sep).href;
  try {
    return createJiti(parent).esmResolve(name, parent);
  } catch (cause) {
    throw failure(ref, `no package ${found(name)} is installed in or above ${from}`, cause);
  }
}

/** Node 20 does not strip types, so TypeScript goes through jiti. */
async function importModule(url: string): Promise<Record<string, unknown>> {
  if (!/\.[cm]?ts$/.test(url)) {
    return import(url);
  }
  const { createJiti } = await import("jiti");
  const own = import.meta.url.endsWith(".ts") ? ".ts" : ".js";
  const entry = (name: string) => fileURLToPath(new URL(`./${name}${own}`, import.meta.url));
  // A policy outside any project, next to a globally installed command, finds this very package.
  const alias = {
    "@jbdlab/policies": entry("index"),
    "@jbdlab/policies/testing": entry("testing"),
    "@jbdlab/policies/conformance": entry("conformance"),
  };
  const jiti = createJiti(url, { alias, fsCache: false, interopDefault: false });
  return jiti.import(fileURLToPath(url));
}

function choose(
  ref: string,
  module: Record<string, unknown>,
  wanted: string | undefined,
): PolicyDefinition {
  const policies = Object.entries(module).filter((entry): entry is [string, PolicyDefinition] =>
    looksLikePolicy(entry[1]),
  );
  const names = [...new Set(policies.map(([, policy]) => policy.name))];
  if (wanted !== undefined) {
    const chosen = policies.find(([key, policy]) => key === wanted || policy.name === wanted);
    if (chosen === undefined) {
      const near = nearest(wanted, names);
      const hint = near === undefined ? "it exports no policy" : `did you mean ${near}?`;
      throw failure(ref, `exports no policy ${found(wanted)}; ${hint}`);
    }
    return chosen[1];
  }
  const preferred = policies.find(([key]) => key === "default") ?? policies[0];
  if (preferred === undefined) {
    const keys = Object.keys(module).join(", ") || "nothing";
    throw failure(ref, `exports no policy (an object with a decide function), but ${keys}`);
  }
  if (preferred[0] !== "default" && names.length > 1) {
    throw failure(ref, `exports several policies; add #name: ${names.join(", ")}`);
  }
  return preferred[1];
}

function looksLikePolicy(value: unknown): boolean {
  return typeof value === "object" && value !== null && "decide" in value;
}

function failure(ref: string, message: string, cause?: unknown): PolicyError {
  return new PolicyError(ref, "load", `policy ${ref}: ${message}`, { cause });
}
