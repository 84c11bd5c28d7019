import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Command } from "commander";
import { InputError, oneLine } from "../lab/errors.js";
import { makeFolder } from "../lab/make-folder.js";
import { EXIT_CODES } from "./world-options.js";

interface NewFlags {
  out: string;
}

const EXAMPLES = `
Examples:
  jbdlab new policy keep-half-free
  jbdlab sweep --row v4/jbd2 --row v4/./keep-half-free.ts
`;

/** `jbdlab new policy`: a policy that works, to be changed, and its test. */
export function newCommand(): Command {
  return new Command("new").description("write a template").addCommand(
    new Command("policy")
      .description("a policy of your own and its conformance test, ready to run")
      .argument("<name>", "lower case, digits and dashes")
      .option("--out <folder>", "where the files go", ".")
      .addHelpText("after", EXAMPLES + EXIT_CODES)
      .action((name: string, flags: NewFlags) => {
        process.stdout.write(writePolicy(name, flags.out));
      }),
  );
}

function policySource(name: string): string {
  const identifier = name.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
  return `import { definePolicy, logShare, Point } from "@jbdlab/policies";

/** Change the idea, keep the shape: a policy decides, the core carries out what is safe. */
export const ${identifier} = definePolicy({
  name: "${name}",
  summary: "checkpoint the oldest transaction whenever less than a share of the log is free",
  idea: "Work ahead of need, so that no handle has to wait for space.",
  source: "a template of jbdlab",
  trigger: "a handle starts with less than \`free\` of the log left",
  cost: "home writes that a later change might have saved; flushes to move the tail",
  whoWaits: "nobody, unless a handle needs the checkpoint mutex meanwhile",
  whySafe: "jbd2's own checkpoint does the work, the tail moves after a flush",
  parameters: {
    free: {
      kind: "share",
      default: 0.5,
      min: 0.05,
      max: 0.95,
      unit: "of the log",
      help: "how much is kept free",
    },
  },
  decisionPoints: ["freeBelow"],
  start(view, answers, { free }) {
    answers.armFreeBelow(logShare(view, free));
  },
  decide(view, answers, { free }) {
    if (view.point !== Point.freeBelow) return;
    answers.checkpointOldest(logShare(view, free));
    answers.armFreeBelow(logShare(view, free));
  },
});

export default ${identifier};
`;
}

function testSource(name: string): string {
  return `// Run it with vitest: npx vitest run ${name}.test.ts
import { loadCore, Simulation } from "@jbdlab/core-wasm";
import { specFor } from "@jbdlab/policies";
import { conformanceCases } from "@jbdlab/policies/conformance";
import { probe } from "@jbdlab/policies/testing";
import { describe, expect, it } from "vitest";
import policy from "./${name}.js";

const core = await loadCore();

describe("${name}", () => {
  const cases = conformanceCases(policy, (config, driver, workload) =>
    Simulation.create(core, config).run(workload, driver),
  );
  for (const { name, check } of cases) it(name, { timeout: 60_000 }, check);

  it("works when half of a 16 MiB log is used", () => {
    const asked = probe(specFor(policy));
    expect(asked.start()).toEqual(["armFreeBelow(2048)"]);
    expect(asked.at("freeBelow", { spaceLeft: 2000 })).toEqual([
      "checkpointOldest(2048)",
      "armFreeBelow(2048)",
    ]);
  });
});
`;
}

function writePolicy(name: string, folder: string): string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(name)) {
    const found = JSON.stringify(name);
    throw new InputError(`new policy: expected lower case, digits and dashes, found ${found}`);
  }
  const files = [
    [join(folder, `${name}.ts`), policySource(name)],
    [join(folder, `${name}.test.ts`), testSource(name)],
  ] as const;
  const taken = files.find(([file]) => existsSync(file));
  if (taken !== undefined) throw new InputError(`${taken[0]}: expected no such file, found one`);
  try {
    makeFolder(folder);
    for (const [file, text] of files) writeFileSync(file, text);
  } catch (error) {
    throw new InputError(`--out ${folder}: cannot be written: ${oneLine(error)}`);
  }
  const path = folder === "." ? `./${name}.ts` : files[0][0];
  return (
    `${files.map(([file]) => `written: ${file}`).join("\n")}\n` +
    `try it: npx jbdlab sweep --row v4/jbd2 --row v4/${path} --base v4/jbd2\n` +
    `test it: npm install --save-dev vitest && npx vitest run ${name}.test.ts\n`
  );
}
