import { describe, expect, it } from "vitest";
import { explore } from "./explore.js";
import type { Guard } from "./transitions.js";

describe("the miniature journal", () => {
  it.each(["v0", "v1", "v4"] as const)(
    "%s loses nothing in any interleaving of three blocks and three transactions",
    (rule) => {
      const { complete, states, story } = explore({ rule, blocks: 3, transactions: 3 });
      expect(story).toEqual([]);
      expect(complete).toBe(true);
      expect(states).toBeGreaterThan(20_000);
    },
  );

  it.each(["v2", "v3"] as const)("%s loses data, and the shortest way is told", (rule) => {
    const { story } = explore({ rule, blocks: 2, transactions: 3 });
    expect(story).toEqual([
      "a handle of T1 changes block 0",
      `T1 begins to commit; cleanup by ${rule}`,
      "a handle of T2 changes block 0",
      "the log blocks and the record of T1 are durable",
      "the commit of T1 ends",
      `T2 begins to commit; cleanup by ${rule}`,
      "flush, then the tail moves to T2",
      "power cut: block 0: T1's acknowledged change is neither in the log (tail at T2) nor " +
        "durable at home (T0)",
    ]);
  });

  it.each<Guard>([
    "flush before the tail",
    "record before the end of a commit",
    "no home write of a held buffer",
    "tail not past the oldest checkpoint",
    "tail not past the committing",
  ])("without the guard '%s' v4 loses data", (without) => {
    const { story } = explore({ rule: "v4", blocks: 2, transactions: 3, without });
    expect(story.at(-1)).toMatch(/^power cut: block \d/);
  });
});
