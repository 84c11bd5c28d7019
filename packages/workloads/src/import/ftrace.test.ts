import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { diagnose } from "./diagnosis.js";
import { FtraceParser, type FtraceSummary, readFtrace } from "./ftrace.js";
import { LineSplitter, parseText } from "./lines.js";
import type { Measurements } from "./measurements.js";

const fixture = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/traces/${name}`, import.meta.url));
const parse = (text: string): FtraceSummary => parseText("t", text, new FtraceParser("t"));

async function only(name: string): Promise<Measurements> {
  const { devices } = await readFtrace(fixture(name));
  expect(devices).toHaveLength(1);
  return devices[0]!;
}

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

describe("the reference traces", () => {
  test("every event of Linux 6.18 is understood", async () => {
    const trace = await readFtrace(fixture("linux-6.18-fsmark-4m.trace.txt"));
    expect(trace).toMatchObject({
      consumed: "consumed 233 of 233 events",
      clock: "seconds",
      lostEvents: 0,
      otherEvents: [],
    });
    const [device] = trace.devices;
    expect(device).toMatchObject({
      device: "7,0",
      commits: 22,
      checkpoints: { count: 20, forced: 0, timed: 12 },
      tailUpdates: { count: 20, byTask: { handle: 20, kjournald: 0 } },
    });
    // The means of /proc/fs/jbd2/7:0/info of the same run.
    expect(Math.floor(device!.handlesPerTransaction!.mean)).toBe(2686);
    expect(Math.floor(device!.blocksPerTransaction!.mean)).toBe(292);
    expect(Math.floor(device!.loggedPerTransaction!.mean)).toBe(295);
    expect(device!.phasesMs.running!.mean).toBeGreaterThan(120);
  });

  test.each([
    ["f80_v3_j16", 18, 3, 10, 80],
    ["f80_v4_j16", 18, 11, 15, 80],
    ["f8_v3_j16", 18, 7, 13, 8],
    ["f8_v4_j16", 18, 11, 15, 8],
  ])(
    "%s: commits, forced checkpoints, tail moves and the flush as counted in the kernel",
    async (name, commits, forced, moves, flushMs) => {
      const device = await only(`${name}.trace.txt.gz`);
      expect(device).toMatchObject({ commits, checkpoints: { forced } });
      expect(device.tailUpdates).toMatchObject({ count: moves, byTask: { handle: moves } });
      expect(device.deviceFlushMs).toMatchObject({ exact: true, count: moves });
      expect(Math.abs(device.deviceFlushMs!.value - flushMs)).toBeLessThan(0.5);
    },
  );

  test("with a dear flush v4 suffers from waits for commits", async () => {
    expect(diagnose(await only("f80_v4_j16.trace.txt.gz"))).toEqual({
      complaint: "commit-wait",
      sentence:
        "11 of 12 checkpoints waited for a commit: 95.5 % of checkpoint time; home writes 4.5 %; " +
        "handles moved the tail 15 times, at least 1215 ms (checkpoints: 14.8 % of 9.9 s)",
    });
  });

  test("fsync suffers from commit batching, not from log space", async () => {
    const device = await only("fsync_v4_t4_f8.trace.txt.gz");
    expect(device.deviceFlushMs).toMatchObject({ exact: false });
    expect(diagnose(device)).toEqual({
      complaint: "commit-batching",
      sentence:
        "commit batching, not log space: 1599 commits of 6.8 blocks, 9.9 ms each, " +
        "99.9 % of the time; no checkpoint took time",
    });
  });
});

describe("forms of trace text", () => {
  test("without irq columns the same events are read", async () => {
    expect(await only("linux-6.18-noirq.trace.txt.gz")).toMatchObject({ commits: 6 });
  });

  test("a clock without a unit tells no times", async () => {
    const trace = await readFtrace(fixture("linux-6.18-counter.trace.txt.gz"));
    expect(trace.clock).toBe("ticks");
    expect(trace.devices[0]).toMatchObject({
      commits: 6,
      seconds: undefined,
      commitMs: undefined,
      deviceFlushMs: undefined,
    });
  });

  test("handle events and thread groups are read", async () => {
    const { handles } = await only("linux-6.18-handles.trace.txt.gz");
    const text = gunzipSync(readFileSync(fixture("linux-6.18-handles.trace.txt.gz"))).toString();
    expect(handles!.started).toBe(text.split("jbd2_handle_start:").length - 1);
    expect(handles!.extended).toBe(text.split("jbd2_handle_extend:").length - 1);
    const dirtied = [...text.matchAll(/dirtied_blocks (\d+)/g)].map((match) => Number(match[1]));
    expect(handles!.dirtiedBlocks!.total).toBe(dirtied.reduce((a, b) => a + b));
  });

  test("two journals in one trace are kept apart", async () => {
    const { devices } = await readFtrace(fixture("linux-6.18-two-devices.trace.txt.gz"));
    expect(devices.map(({ device }) => device).sort()).toEqual(["7,0", "7,1"]);
    expect(devices.reduce((sum, { commits }) => sum + commits!, 0)).toBe(9);
  });

  const stats =
    "jbd2_checkpoint_stats: dev 8,1 tid 7 chp_time 40 forced_to_close 1 written 3 dropped 9";
  test.each([
    ["four flags", ` jbd2/sda1-8-321   [001] d..1  100.000001: ${stats}`],
    ["six flags", ` fs_mark-1  [001] d..1..  100.000001: ${stats}`],
    ["no comm", `           <...>-321   [001]   100.000001: ${stats}`],
    ["a comm with blanks", ` Web Content-5  [000] .....   100.000001: ${stats}`],
    ["perf script", `fs_mark  321 [001]  100.000001:  jbd2:${stats}`],
    ["trace-cmd with nanoseconds", `  fs_mark-321   [001]   100.000000001: ${stats}`],
  ])("%s", (_name, line) => {
    expect(parse(`${line}\n`).devices[0]).toMatchObject({
      device: "8,1",
      checkpoints: { forced: 1, forcedMs: 40, dropped: 9 },
    });
  });

  test("negative ids, fields of other versions and private wait events are read", () => {
    const prefix = " a-1 [000] ..... 1.000000: ";
    const shrink = "jbd2_shrink_checkpoint_list: dev sda1 shrink transaction 1-2(3)";
    const trace = parse(
      [
        `${prefix}jbd2_start_commit: dev sda1 transaction -12 sync 1`,
        `${prefix}jbd2_run_stats: dev sda1 tid -12 wait 0 running 5 locked 0 flushing 0 ` +
          "logging 1 handle_count 2 blocks 3 blocks_logged 4",
        `${prefix}jbd2_end_commit: dev sda1 transaction -12 sync 1 head -13 extra 4`,
        `${prefix}${shrink} freed 4 scanned 9 next transaction 5`,
        `${prefix}${shrink} freed 4 next transaction 5`,
        `${prefix}jbd2_wait_on_credits: dev sda1 credits 40 latency(us) 1500`,
        `${prefix}jbd2_wait_on_transaction_locked: dev sda1 250`,
        `${prefix}jbd2_something_new: dev sda1 x 1`,
        "CPU:1 [LOST 17 EVENTS]",
        "",
      ].join("\n"),
    );
    expect(trace).toMatchObject({ jbd2Events: 7, events: 8, lostEvents: 17 });
    expect(trace.consumed).toBe(
      "consumed 7 of 8 events; 1 are unknown events of jbd2 (jbd2_something_new), " +
        "17 more were lost while tracing",
    );
    expect(trace.devices[0]!.waitsMs).toMatchObject({
      jbd2_wait_on_credits: { total: 1.5 },
      jbd2_wait_on_transaction_locked: { total: 0.25 },
    });
    expect(trace.devices[0]!.syncShare).toBe(1);
  });

  test("a trace of something else is named, and no journal is made up", () => {
    const prefix = " a-1 [000] ..... 1.000000: ";
    const trace = parse(
      `${prefix}block_rq_issue: 8,0 W 4096 () 12 + 8 [a]\n`.repeat(3) +
        `${prefix}xfs_log_force: dev 8:1 lsn 0x1 caller x\n`,
    );
    expect(trace.devices).toEqual([]);
    expect(trace.otherEvents).toEqual([
      { name: "block_rq_issue", count: 3 },
      { name: "xfs_log_force", count: 1 },
    ]);
  });
});

describe("a damaged trace", () => {
  const good = " a-1 [000] ..... 1.000000: jbd2_checkpoint: dev 8,1 result 0\n";

  test("is refused at the line that cannot be understood", () => {
    expect(() => parse(`${good}rubbish\n${good}`)).toThrow(
      /^t:2: expected a line of ftrace text .*, found "rubbish"$/,
    );
    expect(() => parse(`${good}${good.replace("result 0", "result")}`)).toThrow(
      /^t:2: expected jbd2_checkpoint: dev M,m result N, found "jbd2_checkpoint: dev 8,1 result"$/,
    );
    expect(() => parse(good.replace("result", "r3sult"))).toThrow(/^t:1:/);
    expect(() => parse("# tracer: nop\n")).toThrow(/expected at least one trace event, found none/);
    expect(() => parse(`${good}\0\n`)).toThrow(/^t:2: expected text, found a zero byte$/);
    expect(() => parse("x".repeat(70_000))).toThrow(/^t:1: expected lines of at most 65536 bytes/);
  });

  test("a last line that was cut off is reported, not used", () => {
    const trace = parse(good + good.slice(0, 40));
    expect(trace.consumed).toBe("consumed 1 of 2 events; the last line is cut off");
  });

  test("what the ring buffer overwrote is counted", () => {
    const header = "# entries-in-buffer/entries-written: 233/400   #P:2\n";
    expect(parse(header + good).lostEvents).toBe(167);
  });

  test("memory does not grow with the trace", () => {
    const text = gunzipSync(readFileSync(fixture("fsync_v4_t4_f8.trace.txt.gz")));
    const parser = new FtraceParser("t");
    const splitter = new LineSplitter("t", (line, number) => parser.line(line, number));
    const feed = (times: number): number => {
      for (let i = 0; i < times; i++) {
        splitter.push(text);
      }
      collectGarbage();
      return process.memoryUsage().heapUsed;
    };
    const before = feed(2);
    expect(feed(20) - before).toBeLessThan(4 * 2 ** 20);
    expect(parser.finish(splitter.end()).jbd2Events).toBe(22 * 12_795);
  });
});
