import { readFileSync } from "node:fs";
import { nearest } from "@jbdlab/policies";
import { InputError, oneLine } from "../errors.js";
import type { RunOptions } from "../options.js";

/** How well a parameter is known. */
export type Known = "measured" | "bounded" | "assumed" | "unidentifiable";

/** A parameter of a profile and what it rests on. */
export interface ProfileFact {
  readonly parameter: string;
  /** With its unit; undefined when it cannot be told. */
  readonly value: string | undefined;
  readonly known: Known;
  /** The true value lies between these (measured), or at or below `high` (bounded). */
  readonly low?: string;
  readonly high?: string;
  /** The estimator, or why it is unknown. */
  readonly how: string;
  readonly file?: string;
}

/** The options of `run` and `sweep` that a profile may set. */
export const PROFILE_OPTIONS = [
  "device",
  "workload",
  "journal",
  "maxTransactionDivisor",
  "threads",
] as const satisfies readonly (keyof RunOptions)[];
export type ProfileOptions = Pick<RunOptions, (typeof PROFILE_OPTIONS)[number]>;

/** A device and a workload as calibrated from files: what --profile takes. */
export interface Profile {
  readonly format: "jbdlab-profile-1";
  readonly from: readonly string[];
  readonly options: ProfileOptions;
  readonly facts: readonly ProfileFact[];
}

function bad(file: string, expected: string, found: unknown): never {
  const shown = found === undefined ? "nothing" : JSON.stringify(found).slice(0, 60);
  throw new InputError(`${file}: expected ${expected}, found ${shown}`);
}

/** Reads a profile's options. Throws InputError on anything that is no profile. */
export function readProfile(file: string): ProfileOptions {
  let text: string;
  try {
    text = readFileSync(file, "utf8");
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    const why =
      code === "ENOENT" ? "no such file" : code === "EISDIR" ? "a directory" : oneLine(error);
    throw new InputError(`${file}: expected a profile that jbdlab calibrate wrote, found ${why}`);
  }
  let profile: unknown;
  try {
    profile = JSON.parse(text);
  } catch (error) {
    throw new InputError(`${file}: expected the JSON of a profile, found: ${oneLine(error)}`);
  }
  if (typeof profile !== "object" || profile === null) bad(file, "a JSON object", profile);
  const { format, options } = profile as Record<string, unknown>;
  if (format !== "jbdlab-profile-1") bad(file, '"format": "jbdlab-profile-1"', format);
  if (typeof options !== "object" || options === null) bad(file, '"options": { ... }', options);
  const known: readonly string[] = PROFILE_OPTIONS;
  for (const [name, value] of Object.entries(options)) {
    if (!known.includes(name)) {
      bad(file, `options among ${known.join(", ")} (nearest: ${nearest(name, known)})`, name);
    }
    const number = name === "maxTransactionDivisor" || name === "threads";
    if (typeof value !== (number ? "number" : "string")) {
      bad(file, `options.${name}: a ${number ? "number" : "string"}`, value);
    }
  }
  const { maxTransactionDivisor: divisor, threads } = options as ProfileOptions;
  if (divisor !== undefined && divisor !== 3 && divisor !== 4) {
    bad(file, "options.maxTransactionDivisor: 3 or 4", divisor);
  }
  if (threads !== undefined && !(Number.isInteger(threads) && threads >= 1 && threads <= 256)) {
    bad(file, "options.threads: a whole number from 1 to 256", threads);
  }
  return options as ProfileOptions;
}
