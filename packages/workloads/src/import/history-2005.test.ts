import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { diagnose } from "./diagnosis.js";
import { HistoryParser, historyMeasurements, readHistory } from "./history-2005.js";
import { parseText } from "./lines.js";

const history = readHistory(
  fileURLToPath(new URL("./fixtures/published/jbd-history-2005.csv", import.meta.url)),
);

describe("the history table of 2005", () => {
  test("stalls 48.5 %, 2.61 ms per home block, 6.6 % forced", () => {
    expect(history.consumed).toBe("consumed 21 of 21 rows");
    expect(history.stallShare * 100).toBeCloseTo(48.5, 1);
    expect(history.msPerHomeBlock).toBeCloseTo(2.61, 2);
    expect(history.forcedShare * 100).toBeCloseTo(6.6, 1);
  });

  test("a handle's longest wait is its checkpoint plus 20 ms; one of four differs", () => {
    const differences = history.identity.map(({ checkpointTid, checkpointMs, waitMs }) => [
      checkpointTid,
      waitMs - checkpointMs,
    ]);
    expect(differences).toEqual([
      [261, 20],
      [262, 20],
      [263, 20],
      [265, 490],
    ]);
  });

  test("home writes are what it suffers from", () => {
    expect(diagnose(historyMeasurements(history))).toEqual({
      complaint: "home-writes",
      sentence:
        "3 of 7 checkpoints waited for a commit: 6.6 % of checkpoint time; home writes 93.4 % " +
        "(checkpoints: 40.7 % of 85.0 s)",
    });
  });

  test("the kernel's own print gives the same as its CSV", () => {
    const rows = history.transactions.map(
      (r) =>
        `R    ${r.tid}   ${r.waitMs} ${r.runMs} ${r.lockMs} ${r.flushMs} ${r.logMs} ` +
        `${r.handles} ${r.blocks} ${r.logged}`,
    );
    const checkpoints = history.checkpoints.map(
      (c) => `C    ${c.tid}   ${" ".repeat(48)} ${c.timeMs}  ${c.written} ${c.dropped} ${c.forced}`,
    );
    const header =
      "R/C  tid   wait  run   lock  flush log   hndls  block inlog ctime write drop  close";
    const text = [header, ...rows, ...checkpoints].join("\n");
    const printed = parseText("h", text, new HistoryParser("h"));
    expect(printed.stallShare).toBe(history.stallShare);
    expect(printed.checkpoints).toHaveLength(7);
    expect(printed.forcedShare).toBe(history.forcedShare);
  });

  test("a row of another shape is refused with its line", () => {
    const csv =
      "kind,tid,wait_ms,run_ms,lock_ms,flush_ms,log_ms,handles,blocks,in_log," +
      "ctime_ms,written,dropped,forced_to_close";
    const parse = (row: string): unknown =>
      parseText("h", `${csv}\n${row}\n`, new HistoryParser("h"));
    expect(() => parse("R,261,8260,2720,0,0,750,9892,8170,8187,,,,5")).toThrow(
      /^h:2: expected R,tid/,
    );
    expect(() => parse("R,261,8260,2720,0,0,750,9892,8170")).toThrow(/^h:2:/);
    expect(() => parse("C,261,1,,,,,,,,8240,3212,4957,0")).toThrow(/^h:2:/);
    expect(() => parse("X,261,,,,,,,,,8240,3212,4957,0")).toThrow(/^h:2:/);
    expect(() => parseText("h", "R,1\n", new HistoryParser("h"))).toThrow(
      /^h:1: expected the header/,
    );
  });
});
