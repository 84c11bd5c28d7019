import type { Workload } from "@jbdlab/core-wasm";
import { WorkloadError } from "./error.js";
import { fsmark } from "./fsmark.js";
import { fsyncAppend } from "./fsync-append.js";
import { hotSet } from "./hot-set.js";
import { handlesWorkload } from "./import/handles-workload.js";
import { journalWorkload } from "./import/journal-workload.js";
import { mailSpool } from "./mail-spool.js";
import { nearest } from "./nearest.js";
import {
  type ParameterValue,
  type ParameterValues,
  parameterNamed,
  readValue,
  resolveParameters,
} from "./parameters.js";
import { removeTree } from "./remove-tree.js";
import { untar } from "./untar.js";
import type { WorkloadContext, WorkloadDefinition } from "./workload.js";

const DEFINITIONS: readonly WorkloadDefinition[] = [
  fsmark,
  fsyncAppend,
  untar,
  removeTree,
  mailSpool,
  hotSet,
];

/** Prefixes of workloads that are read from a file. */
export const FILE_WORKLOADS = {
  journal: {
    summary: "replays the transactions of a jbd2 journal image: journal:<file>[,repeat=n]",
    open: journalWorkload,
  },
  handles: {
    summary: "replays recorded journal operations exactly: handles:<file>[,repeat=n]",
    open: handlesWorkload,
  },
} as const;

export type FileWorkloadKind = keyof typeof FILE_WORKLOADS;

/** A workload that was read from a file says how much of it was understood ("2 of 2"). */
export type OpenedWorkload = Workload & { readonly consumed?: string };

/** What a text such as "fsmark,files=10000,size=4KiB" stands for. */
export interface WorkloadSpec {
  /** Reads back to the same spec: the name and the parameters that are not at their default. */
  readonly text: string;
  readonly name: string;
  /** Generators only. */
  readonly definition?: WorkloadDefinition;
  readonly parameters?: ParameterValues;
  /** `journal:` and `handles:` only. */
  readonly file?: string;
  /** True when the text says how much work to do (the work parameter, or `repeat`). */
  readonly fixedWork: boolean;
  /**
   * A fresh stream of records. Throws WorkloadError when parameters, file and geometry do not go
   * together.
   */
  create(context: WorkloadContext): OpenedWorkload;
}

/** All generators, in the order help lists them. */
export function listWorkloads(): readonly WorkloadDefinition[] {
  return DEFINITIONS;
}

/** The generator of this name; throws WorkloadError that suggests the nearest. */
export function workloadNamed(name: string): WorkloadDefinition {
  const found = DEFINITIONS.find((each) => each.name === name);
  if (found !== undefined) {
    return found;
  }
  const kinds = Object.keys(FILE_WORKLOADS);
  const word = name.split(":")[0]!;
  const near = nearest(word, [...DEFINITIONS.map((each) => each.name), ...kinds])!;
  const hint = kinds.includes(near) ? `${near}:<file>` : near;
  throw new WorkloadError(
    name,
    `unknown workload ${JSON.stringify(name.slice(0, 40))}; did you mean ${hint}?`,
  );
}

/** A generator with parameters; throws WorkloadError on names or values it does not have. */
export function workloadSpec(
  definition: WorkloadDefinition,
  given: Readonly<Record<string, unknown>> = {},
): WorkloadSpec {
  const parameters = resolveParameters(definition.name, definition.parameters, given);
  const changed = Object.entries(parameters)
    .filter(([name, value]) => value !== definition.parameters[name]!.default)
    .map(([name, value]) => `,${name}=${value}`);
  return {
    text: definition.name + changed.join(""),
    name: definition.name,
    definition,
    parameters,
    fixedWork: Object.hasOwn(given, definition.work),
    create: (context) => definition.create(parameters, context),
  };
}

/**
 * Reads "fsmark,files=10000,size=4KiB,threads=4", "journal:image.gz,repeat=3" or "handles:file".
 * Sizes take KiB, MiB, GiB. Throws WorkloadError: one line, with the nearest name where one is
 * unknown.
 */
export function parseWorkload(text: string): WorkloadSpec {
  const kind = /^(journal|handles):/.exec(text)?.[1] as FileWorkloadKind | undefined;
  if (kind !== undefined) {
    return parseFile(kind, text);
  }
  const [name = "", ...pairs] = text.split(",");
  const definition = workloadNamed(name.trim());
  const given: Record<string, ParameterValue> = {};
  for (const [key, value] of pairs.map((pair) => splitPair(text, pair))) {
    if (Object.hasOwn(given, key)) {
      throw new WorkloadError(name, `workload ${name}: parameter ${key} is given twice`);
    }
    given[key] = readValue(parameterNamed(definition.name, definition.parameters, key), value);
  }
  return workloadSpec(definition, given);
}

function splitPair(text: string, pair: string): [string, string] {
  const at = pair.indexOf("=");
  if (at <= 0) {
    throw new WorkloadError(
      text,
      `workload ${JSON.stringify(text.slice(0, 80))}: expected parameter=value, ` +
        `found ${JSON.stringify(pair.slice(0, 40))}`,
    );
  }
  return [pair.slice(0, at).trim(), pair.slice(at + 1).trim()];
}

/** A file name may hold commas: only pairs at the end are options. */
function parseFile(kind: FileWorkloadKind, text: string): WorkloadSpec {
  const rest = text.slice(kind.length + 1);
  const tail = /(?:,[A-Za-z]+=[^,/=]*)*$/.exec(rest)![0];
  const file = rest.slice(0, rest.length - tail.length);
  if (file === "") {
    throw new WorkloadError(kind, `workload ${kind}: expected a file name, found nothing`);
  }
  const pairs = tail.split(",").slice(1);
  const options = Object.fromEntries(pairs.map((pair) => splitPair(text, pair)));
  return {
    text,
    name: kind,
    file,
    fixedWork: Object.hasOwn(options, "repeat"),
    create: (context) => FILE_WORKLOADS[kind].open(file, { ...context, options }),
  };
}
