import { Command } from "commander";
import { DEVICES, OVERRIDES } from "../lab/devices.js";
import { InputError } from "../lab/errors.js";
import type { Fact } from "../lab/provenance.js";
import { RULE_FACTS } from "../lab/rules.js";
import { SETTINGS } from "../lab/settings.js";
import { columns } from "../report/columns.js";
import { EXIT_CODES } from "./world-options.js";

const EXAMPLES = `
Examples:
  jbdlab list                    policies, workloads, rules, devices and settings in short
  jbdlab list policies           with all their parameters
  jbdlab list devices --json     every figure with its provenance
`;

type Entry = {
  readonly name: string;
  readonly summary: string;
  /** Lines below the summary when this kind is listed alone. */
  readonly details: readonly string[];
  /** What --json prints. */
  readonly data: object;
};

/** `jbdlab list`: what there is to choose from. */
export function listCommand(): Command {
  return new Command("list")
    .description("list policies, workloads, rules, devices and settings with their parameters")
    .argument("[kind]", "policies, workloads, rules, devices or settings")
    .option("--json", "as one JSON object")
    .addHelpText("after", EXAMPLES + EXIT_CODES)
    .action(async (kind: string | undefined, flags: { json?: boolean }) => {
      const all = await kinds();
      if (kind !== undefined && !Object.hasOwn(all, kind)) {
        const names = Object.keys(all).join(", ");
        throw new InputError(`list ${JSON.stringify(kind)}: expected one of ${names}`);
      }
      const chosen = Object.entries(all).filter(([name]) => kind === undefined || name === kind);
      const text = flags.json ? asJson(chosen) : asText(chosen, kind !== undefined);
      process.stdout.write(text);
    });
}

function asJson(kindsChosen: [string, readonly Entry[]][]): string {
  const data = kindsChosen.map(([kind, entries]) => [kind, entries.map((entry) => entry.data)]);
  return `${JSON.stringify(Object.fromEntries(data), null, 2)}\n`;
}

function asText(kindsChosen: [string, readonly Entry[]][], detailed: boolean): string {
  const blocks = kindsChosen.map(([kind, entries]) => {
    const heads = columns(
      entries.map((entry) => [`  ${entry.name}`, entry.summary]),
      "ll",
    );
    const lines = heads.flatMap((head, i) => [
      head,
      ...(detailed ? (entries[i]?.details ?? []).map((line) => `      ${line}`) : []),
    ]);
    return [kind, ...lines].join("\n");
  });
  return `${blocks.join("\n\n")}\n`;
}

interface ListedParameter {
  readonly default: number | boolean | string;
  readonly help: string;
  readonly unit?: string;
}

function parameterLines<P extends ListedParameter>(
  parameters: Readonly<Record<string, P>>,
  range: (parameter: P) => string,
): string[] {
  const rows = Object.entries(parameters).map(([name, parameter]) => [
    name,
    `default ${parameter.default}`,
    `${range(parameter)}${parameter.unit === undefined ? "" : `, ${parameter.unit}`}`,
    parameter.help,
  ]);
  return columns(rows, "llll");
}

function factLines(facts: Readonly<Record<string, Fact<unknown>>>): string[] {
  const rows = Object.entries(facts).map(([name, fact]) => [
    name,
    String(fact.value),
    fact.source,
    fact.note,
  ]);
  return columns(rows, "lrll");
}

async function kinds(): Promise<Record<string, readonly Entry[]>> {
  const [policies, workloads] = await Promise.all([policyEntries(), workloadEntries()]);
  return {
    policies,
    workloads,
    rules: ruleEntries(),
    devices: deviceEntries(),
    settings: settingEntries(),
  };
}

async function policyEntries(): Promise<Entry[]> {
  const { listPolicies, rangeOf } = await import("@jbdlab/policies");
  return listPolicies().map((policy) => {
    const { name, summary, idea, source, trigger, cost, whoWaits, whySafe, parameters } = policy;
    const doc = { idea, source, trigger, cost, whoWaits, whySafe };
    const lines = Object.entries(doc).map(([field, text]) => `${field}: ${text}`);
    return {
      name,
      summary,
      details: [...lines, ...parameterLines(parameters, rangeOf)],
      data: { name, summary, ...doc, parameters },
    };
  });
}

async function workloadEntries(): Promise<Entry[]> {
  const { listWorkloads, rangeOf } = await import("@jbdlab/workloads");
  return listWorkloads().map(({ name, summary, doc, parameters }) => ({
    name,
    summary,
    details: [
      ...Object.entries(doc).map(([field, text]) => `${field}: ${text}`),
      ...parameterLines(parameters, rangeOf),
    ],
    data: { name, summary, ...doc, parameters },
  }));
}

function ruleEntries(): Entry[] {
  return RULE_FACTS.map((facts) => ({
    name: facts.rule,
    summary:
      `Linux ${facts.kernel}: ${facts.cleanup}; rejoined buffer: ${facts.rejoined}; ` +
      (facts.crashSafe ? "crash safe" : "UNSAFE: loses acknowledged data"),
    details: [],
    data: facts,
  }));
}

function deviceEntries(): Entry[] {
  const overrides = columns(
    Object.entries(OVERRIDES).map(([name, { help }]) => [`,${name}=...`, help]),
    "ll",
  );
  return DEVICES.map(({ name, summary, facts }, i) => ({
    name,
    summary,
    details: [
      ...factLines(facts),
      ...(i === DEVICES.length - 1 ? ["any device may be changed:", ...overrides] : []),
    ],
    data: { name, summary, facts },
  }));
}

function settingEntries(): Entry[] {
  return SETTINGS.map(({ name, summary, facts, cpu, memory, device }) => ({
    name,
    summary,
    details: [`device: ${device}`, ...factLines({ ...facts, memory, ...cpu })],
    data: { name, summary, device, facts: { ...facts, memory, cpu } },
  }));
}
