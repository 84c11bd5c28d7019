import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { filesOf, jbdlab, scratchFolder } from "./command.js";

const journal = fileURLToPath(
  new URL(
    "../../packages/workloads/src/import/fixtures/journals/fsmark-4k.journal.gz",
    import.meta.url,
  ),
);

/** One clear line that matches, exit code 2, nothing on standard output. */
async function expectRefused(words: readonly string[], line: RegExp, cwd?: string): Promise<void> {
  const { code, stdout, stderr } = await jbdlab(words, cwd);
  expect(code, `${words.join(" ")}\n${stderr}`).toBe(2);
  const lines = stderr
    .trimEnd()
    .split("\n")
    .filter((each) => !each.startsWith("warning:"));
  expect(lines, stderr).toHaveLength(1);
  expect(lines[0]).toMatch(line);
  expect(stdout).toBe("");
}

const REFUSED: readonly (readonly [string, RegExp])[] = [
  ["run --policy thresold", /unknown policy "thresold"; did you mean threshold\?/],
  ["sweep --policy jbd2,eager-cleanpu", /did you mean eager-cleanup\?/],
  ["run --policy threshold:lo=0.5", /unknown parameter "lo"; did you mean low\?/],
  ["run --policy threshold:low=7", /low.*expected a number from .*found 7/],
  ["run --workload fsmrak", /did you mean fsmark\?/],
  ["run --workload fsmark,fles=3", /did you mean files\?/],
  ["run --workload fsmark,files=-3", /files.*expected/],
  ["run --device floppy", /unknown device "floppy"; did you mean/],
  ["run --device nvme,flsh=3ms", /did you mean flush\?/],
  ["run --device nvme,flush=3", /expected a time with its unit/],
  ["run --rule v5", /unknown rule "v5"; expected one of v0, v1, v2, v3, v4/],
  ["run --setting kernel-run", /did you mean kernel-runs\?/],
  ["run --kernel six", /expected a version such as 6\.12/],
  ["run --journal 2MiB", /expected 1024 blocks .*found 512 blocks/],
  ["run --journal 64GiB", /16GiB/],
  ["run --journal huge", /expected a size such as 16MiB/],
  ["sweep --journal 8MiB..4MiB", /ends below its start/],
  ["run --seed -1", /--seed: expected a whole number/],
  ["run --threads 0", /--threads: expected a whole number from 1 to 256/],
  ["run --threads 257", /--threads: expected a whole number from 1 to 256/],
  ["sweep --seeds 0", /--seeds/],
  ["sweep --row v4", /expected rule\/policy/],
  ["sweep --row v4/jbd2,v4/jbd2", /given twice/],
  ["sweep --base v0/jbd2", /--base v0\/jbd2: expected one of the rows/],
  ["sweep --row v4/jbd2 --policy jbd2", /either --row or/],
  ["list polices", /expected one of policies/],
  ["run --polcy jbd2", /unknown option '--polcy'/],
  ["swep", /unknown command 'swep'/],
];

describe("bad input", () => {
  it.each(REFUSED)("jbdlab %s", async (words, line) => {
    await expectRefused(words.split(" "), line, scratchFolder());
  });

  it("an output folder that cannot be written to is refused before any work", async () => {
    const folder = scratchFolder();
    writeFileSync(join(folder, "file"), "");
    const words = ["sweep", "--journal", "4MiB", "--out", join(folder, "file", "report")];
    await expectRefused(words, /--out .*expected a folder to write to/);
  });

  it("a world that fails in every run prints each failure with its replay command", async () => {
    const workload = "hot-set,touches=256,cold=256,blocks=4000";
    const words = ["sweep", "--row", "v4/jbd2", "--journal", "4MiB", "--seeds", "2"];
    const folder = scratchFolder();
    const { code, stdout, stderr } = await jbdlab([...words, "--workload", workload], folder);
    expect([code, stdout]).toEqual([2, ""]);
    expect(stderr.match(/^error: a handle of \d+ credits does not fit/gm)).toHaveLength(2);
    expect(stderr.match(/^replay: npx jbdlab run .*--seed [12] /gm)).toHaveLength(2);
    expect(filesOf(join(folder, "jbdlab-report"))).toEqual({});
  });

  it("files that are no journal are refused with what was found", async () => {
    const folder = scratchFolder();
    const file = (name: string, bytes: Uint8Array | string) => {
      writeFileSync(join(folder, name), bytes);
      return join(folder, name);
    };
    const image = gunzipSync(readFileSync(journal));
    const cases: [string, RegExp][] = [
      [join(folder, "none"), /none.*no such file/],
      [file("empty", ""), /empty/],
      [file("text", "hello, this is no journal\n".repeat(400)), /text/],
      [file("short", image.subarray(0, 1000)), /short/],
      [file("truncated", image.subarray(0, 4096 * 20 + 17)), /truncated/],
      [file("cut.gz", readFileSync(journal).subarray(0, 5000)), /cut\.gz/],
      [file("flipped", flipped(image)), /flipped.*(checksum|crc)/i],
    ];
    mkdirSync(join(folder, "directory"));
    cases.push([join(folder, "directory"), /directory/]);
    for (const [path, line] of cases) {
      await expectRefused(["run", "--workload", `journal:${path}`, "--journal", "4MiB"], line);
    }
  });
});

/** The image with a few bits of its first descriptor's tags turned over. */
function flipped(image: Uint8Array): Uint8Array {
  const copy = Uint8Array.from(image);
  const words = new DataView(copy.buffer);
  for (let at = 4096; at < copy.length; at += 4096) {
    // h_magic, h_blocktype: a descriptor
    if (words.getUint32(at) === 0xc03b3998 && words.getUint32(at + 4) === 1) {
      copy[at + 16] = (copy[at + 16] ?? 0) ^ 0x21;
      return copy;
    }
  }
  throw new Error("the image has no descriptor block");
}
