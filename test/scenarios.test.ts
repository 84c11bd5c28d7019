import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadCore, Simulation } from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { parseScenario } from "./twin/scenario.js";
import { traceLine } from "./twin/trace.js";
import { runTwin } from "./twin/world.js";

const folder = fileURLToPath(new URL("scenarios/", import.meta.url));
const files = readdirSync(folder).filter((name) => name.endsWith(".txt"));
const core = await loadCore();

// UPDATE=1 writes the traces as they are now; the difference is to be reviewed like code.
describe("scenarios", () => {
  for (const file of files) {
    const text = readFileSync(folder + file, "utf8");
    const scenario = parseScenario(file, text);
    it(`${file}: ${scenario.title}`, () => {
      const lines: string[] = [];
      const twin = runTwin(scenario.config, scenario.workload(), scenario.driver(), {
        onEvent: (event) => {
          const line = traceLine(event, scenario.config.threads, scenario.show);
          if (line !== undefined) lines.push(line);
        },
      });
      lines.push(`verdict: ${twin.crash.verdict}`);
      const { digest } = Simulation.create(core, scenario.config).run(
        scenario.workload(),
        scenario.driver(),
      );
      expect(digest).toBe(twin.digest);
      if (process.env["UPDATE"] === "1") {
        writeFileSync(folder + file, `${scenario.head}\n${lines.join("\n")}\n`);
      } else {
        expect(lines).toEqual(scenario.trace);
      }
    });
  }
});
