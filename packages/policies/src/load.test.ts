import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { loadPolicy } from "./load.js";
import { findPolicy } from "./registry.js";
import { probe } from "./testing.js";

let from = "";

const plain = (name: string, buffers = 7) => `{
  name: "${name}", summary: "s", idea: "i", source: "s", trigger: "t", cost: "c", whoWaits: "w",
  whySafe: "s", decisionPoints: ["commitFinished"],
  parameters: {
    buffers: { kind: "integer", default: ${buffers}, min: 1, max: 99, unit: "buffers", help: "h" },
  },
  decide(view, answers, params) { answers.writeHome(params.buffers); },
}`;

const FILES: Record<string, string> = {
  "plain.mjs": `export default ${plain("plain")};`,
  "two.mjs": `export const a = ${plain("one")}; export const b = ${plain("other")};`,
  "none.mjs": `export const answer = 42;`,
  "broken.mjs": `throw new Error("no luck\\ntoday");`,
  "bad.mjs": `export default { ...${plain("bad")}, whySafe: "" };`,
  "typed.ts": `
    import { definePolicy, logShare, type PolicyDefinition } from "@jbdlab/policies";
    export default definePolicy({
      ...(${plain("typed")} as unknown as PolicyDefinition),
      decisionPoints: ["freeBelow"],
      start(view, answers): void { answers.armFreeBelow(logShare(view, 0.25)); },
    });`,
  "node_modules/some-package/package.json": JSON.stringify({
    name: "some-package",
    type: "module",
    exports: { ".": { import: "./main.js" } },
  }),
  "node_modules/some-package/main.js": `export const first = ${plain("packed", 3)};`,
};

beforeAll(() => {
  from = mkdtempSync(join(tmpdir(), "jbdlab-policies-"));
  for (const [path, text] of Object.entries(FILES)) {
    mkdirSync(dirname(join(from, path)), { recursive: true });
    writeFileSync(join(from, path), text);
  }
});
afterAll(() => rmSync(from, { recursive: true }));

async function answersOf(text: string): Promise<string[]> {
  return probe(await loadPolicy(text, { from })).at("commitFinished");
}

describe("loadPolicy", () => {
  it("finds built-in policies as parsePolicy does", async () => {
    const spec = await loadPolicy("threshold:low=0.3,high=0.5");
    expect(spec.parts[0]?.definition).toBe(findPolicy("threshold"));
    expect(spec.text).toBe("threshold:low=0.3");
  });

  it("takes plain JavaScript that imports nothing, with its parameters", async () => {
    expect(await answersOf("./plain.mjs")).toEqual(["writeHome(7)"]);
    expect(await answersOf("./plain.mjs:buffers=9")).toEqual(["writeHome(9)"]);
    expect(await answersOf(pathToFileURL(join(from, "plain.mjs")).href)).toEqual(["writeHome(7)"]);
  });

  it("takes TypeScript that imports this package, installed near it or not", async () => {
    const typed = probe(await loadPolicy("typed.ts", { from }));
    expect(typed.start()).toEqual(["armFreeBelow(1024)"]);
  });

  it("takes a package's policy by its name", async () => {
    expect(await answersOf("some-package#packed")).toEqual(["writeHome(3)"]);
  });

  it("composes them and gives back text that loads again", async () => {
    const text = "eager-cleanup+./plain.mjs:buffers=8";
    const spec = await loadPolicy(text, { from });
    expect(spec.text).toBe(text);
    expect(await answersOf(spec.text)).toEqual([
      "writeHome(8)",
      "dropClean(stop, 1048576)",
      "moveTail(512)",
    ]);
  });

  it("chooses by the policy's name or the export's", async () => {
    const name = async (text: string) =>
      (await loadPolicy(text, { from })).parts[0]?.definition.name;
    expect(await name("./two.mjs#other")).toBe("other");
    expect(await name("./two.mjs#b")).toBe("other");
  });

  it.each([
    ["./nowhere.js", /^policy .\/nowhere.js: expected a module, found nothing at .*nowhere.js$/],
    ["./node_modules", /^policy .\/node_modules: expected a module, found a folder at /],
    ["./two.mjs", /^policy .\/two.mjs: exports several policies; add #name: one, other$/],
    ["./two.mjs#othr", /^policy .\/two.mjs#othr: exports no policy "othr"; did you mean other\?$/],
    [
      "./none.mjs",
      /^policy .\/none.mjs: exports no policy \(an object with a decide function\), but answer$/,
    ],
    ["./broken.mjs", /^policy .\/broken.mjs: does not load: Error: no luck$/],
    ["./bad.mjs", /^policy bad: whySafe: /],
    ["nobody#mine", /^policy nobody#mine: no package "nobody" is installed in or above /],
    ["treshold", /^unknown policy "treshold"; did you mean threshold\?$/],
    ["./plain.mjs:buffer=1", /^policy plain: unknown parameter "buffer"; did you mean buffers\?$/],
  ])("refuses %s in one line", async (text, message) => {
    const error = await loadPolicy(text, { from }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ name: "PolicyError", message: expect.stringMatching(message) });
  });
});
