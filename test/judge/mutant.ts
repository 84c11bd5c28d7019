import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import asc from "assemblyscript/asc";

const CORE = fileURLToPath(new URL("../../packages/core-wasm/", import.meta.url));

/** One guard taken out of the core: in `file`, `guard` is replaced by `without`. */
export interface Mutation {
  readonly file: string;
  readonly guard: string;
  readonly without: string;
}

/**
 * Compiles the core with its sources changed. Throws when a guard is not found exactly once or asc
 * complains.
 */
export async function compileMutant(mutations: readonly Mutation[]): Promise<WebAssembly.Module> {
  let binary: Uint8Array | undefined;
  const used = new Set<Mutation>();
  const { error, stderr } = await asc.main(
    ["assembly/index.ts", "--config", "asconfig.json", "--target", "release", "-O0", "--noAssert"],
    {
      readFile: (name, base) => {
        let text: string;
        try {
          text = readFileSync(join(CORE, base === "" ? "" : base, name), "utf8");
        } catch {
          return null;
        }
        for (const mutation of mutations) {
          if (name !== `assembly/${mutation.file}`) continue;
          if (text.split(mutation.guard).length !== 2) {
            throw new Error(`${name}: expected the guard once: ${mutation.guard}`);
          }
          text = text.replace(mutation.guard, mutation.without);
          used.add(mutation);
        }
        return text;
      },
      writeFile: (name, contents) => {
        if (name.endsWith(".wasm") && typeof contents !== "string") binary = contents;
      },
      listFiles: () => [],
    },
  );
  if (error !== null) throw new Error(`${error.message}\n${stderr.toString()}`);
  if (binary === undefined || used.size !== mutations.length) throw new Error("nothing compiled");
  return WebAssembly.compile(new Uint8Array(binary));
}
