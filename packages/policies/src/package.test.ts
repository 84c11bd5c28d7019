import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const workspace = fileURLToPath(new URL("../../..", import.meta.url));
let home = "";

/** Packs a workspace package as `npm publish` would and unpacks it where npm would install it. */
function install(folder: string, name: string): void {
  const args = ["pack", "--silent", "--ignore-scripts", "--pack-destination", home];
  const cwd = join(workspace, "packages", folder);
  const tarball = execFileSync("npm", args, { cwd, encoding: "utf8" }).trim();
  const target = join(home, "node_modules", name);
  mkdirSync(target, { recursive: true });
  execFileSync("tar", ["xzf", join(home, tarball), "--strip-components=1", "-C", target]);
}

const EXAMPLE = `
  import { loadCore, Simulation } from "@jbdlab/core-wasm";
  import { loadPolicy } from "@jbdlab/policies";
  import { checkConformance } from "@jbdlab/policies/conformance";
  import { probe } from "@jbdlab/policies/testing";
  const core = await loadCore();
  const simulate = (config, driver, workload) =>
    Simulation.create(core, config).run(workload, driver);
  const spec = await loadPolicy("./mine.ts:share=0.25");
  const complaints = await checkConformance(spec, simulate, { worlds: 3 });
  console.log(JSON.stringify({ start: probe(spec).start(), complaints }));
`;

const MINE = `
  import { definePolicy, logShare } from "@jbdlab/policies";
  const share = {
    kind: "share", default: 0.5, min: 0.1, max: 0.9, unit: "of the log", help: "when to begin",
  } as const;
  export const mine = definePolicy({
    name: "mine", summary: "s", idea: "i", source: "s", trigger: "t", cost: "c", whoWaits: "w",
    whySafe: "s", parameters: { share }, decisionPoints: ["freeBelow"],
    start: (view, answers, params): void => answers.armFreeBelow(logShare(view, params.share)),
    decide(view, answers, params): void {
      answers.checkpointOldest();
      answers.armFreeBelow(logShare(view, params.share));
    },
  });
`;

beforeAll(() => {
  home = mkdtempSync(join(tmpdir(), "jbdlab-pack-"));
  install("policies", "@jbdlab/policies");
  install("core-wasm", "@jbdlab/core-wasm");
  for (const name of ["zod", "jiti", "@assemblyscript"]) {
    symlinkSync(join(workspace, "node_modules", name), join(home, "node_modules", name));
  }
  writeFileSync(join(home, "package.json"), JSON.stringify({ type: "module" }));
  writeFileSync(join(home, "example.js"), EXAMPLE);
  writeFileSync(join(home, "mine.ts"), MINE);
});
afterAll(() => rmSync(home, { recursive: true, force: true }));

describe("the published package", () => {
  it("serves a policy of another project: load, unit test, conformance", () => {
    const out = execFileSync("node", ["example.js"], { cwd: home, encoding: "utf8" });
    expect(JSON.parse(out)).toEqual({ start: ["armFreeBelow(1024)"], complaints: [] });
  });
});
