import { describe, expect, it } from "vitest";
import { replayCrash, searchCrash } from "./search.js";

const EVERY_POLICY = [
  "jbd2",
  "adaptive",
  "ail-push",
  "bigger-journal",
  "delay",
  "eager-cleanup",
  "eager-on-completion",
  "early-commit",
  "recovery-time",
  "ride",
  "ridehome",
  "skip",
  "spread",
  "threshold",
  "threshold:waits=false",
  "eager-cleanup+threshold",
];

describe("the search for loss", () => {
  it.each(["v2", "v3"] as const)(
    "%s is caught, and the story is that of the fix: rejoined, dropped, released, tail moved, cut",
    { timeout: 60_000 },
    async (rule) => {
      const { findings } = await searchCrash({ rules: [rule], policies: ["jbd2"], worlds: 300 });
      const rejoined = findings.find(({ cause }) => cause.text.startsWith("a rejoined buffer"));
      expect(rejoined?.cause.verdict).toBe("loses-acknowledged-data");
      const steps = rejoined?.story.steps.map(({ text }) => text) ?? [];
      expect(steps.length).toBeLessThanOrEqual(8);
      for (const part of [
        /changes block/,
        /is committed: its record is durable/,
        /takes write access to block \d+, which now belongs to T/,
        /does not look at b_transaction and drops the buffer/,
        /list is empty: T\d+ is released/,
        /the superblock moves the tail to T/,
        /power cut between .* acknowledged change of block \d+ is nowhere/,
      ]) {
        expect(steps.filter((text) => part.test(text)).length, String(part)).toBe(1);
      }
      expect(rejoined?.handles).toBeLessThan(40);
    },
  );

  it("a finding replays to the same story, and is none under the safe rule", async () => {
    const { findings } = await searchCrash({ rules: ["v3"], policies: ["jbd2"], worlds: 100 });
    const [found] = findings;
    if (found === undefined) throw new Error("nothing was found");
    expect((await replayCrash(found.world))?.story).toEqual(found.story);
    const safe = { ...found.world, config: { ...found.world.config, rule: "v4" as const } };
    expect((await replayCrash(safe))?.cause).toBeUndefined();
  });

  it("the same seed finds the same", async () => {
    const options = { rules: ["v3"], policies: ["jbd2"], worlds: 60, seed: 7 } as const;
    const [a, b] = [await searchCrash(options), await searchCrash(options)];
    expect({ ...a, seconds: 0 }).toEqual({ ...b, seconds: 0 });
  });

  it("no safe rule loses anything with any policy in ten million cuts", {
    timeout: 300_000,
  }, async () => {
    const search = await searchCrash({
      rules: ["v0", "v1", "v4"],
      policies: EVERY_POLICY,
      cuts: 1e7,
    });
    expect(search.findings).toEqual([]);
    expect(search.cuts).toBeGreaterThanOrEqual(1e7);
    const missed = Object.entries(search.coverage).filter(([, count]) => count === 0);
    expect(missed.map(([name]) => name)).toEqual(["cleanup freed rejoined buffers"]);
  });
});
