import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import type { HandleSink, Workload } from "@jbdlab/core-wasm";
import { afterAll, describe, expect, test } from "vitest";
import { WorkloadError } from "../error.js";
import { Geometry } from "../ext4/geometry.js";
import type { WorkloadContext } from "../workload.js";
import { handlesWorkload } from "./handles-workload.js";
import { ImportError } from "./import-error.js";
import { readJournalImage } from "./jbd2-image.js";
import { journalWorkload } from "./journal-workload.js";

const folder = mkdtempSync(join(tmpdir(), "jbdlab-"));
afterAll(() => rmSync(folder, { recursive: true }));
const geometry = new Geometry();
const journal = (name: string): string =>
  fileURLToPath(new URL(`./fixtures/journals/${name}.journal.gz`, import.meta.url));

function context(journalBlocks: number, more: Partial<WorkloadContext> = {}): WorkloadContext {
  return { seed: 1, geometry, journalBlocks, ...more };
}

interface Handle {
  credits: number;
  thinkNs: number;
  flags: number;
  accesses: [number, number][];
}

/** Everything a workload writes, a few records per fill. */
function recorded(workload: Workload, thread = 0): Handle[] {
  const handles: Handle[] = [];
  let ended = false;
  let room = 0;
  const sink: HandleSink = {
    timeNs: 0,
    get full() {
      return room <= 0;
    },
    handle(credits, thinkNs, _cpuNs, _inode, flags) {
      room--;
      handles.push({ credits, thinkNs, flags, accesses: [] });
    },
    access: (kind, block) => handles.at(-1)!.accesses.push([kind, block]),
    data: () => expect.fail("no data is recorded"),
    allocAccess: () => expect.fail("no data is recorded"),
    fsync: () => expect.fail("no fsync is recorded"),
    sync: () => expect.fail("no sync is recorded"),
    iteration: () => expect.fail("no iteration is recorded"),
    end: () => {
      ended = true;
    },
  };
  while (!ended) {
    room = 7;
    const before = handles.length;
    workload.fill(thread, sink);
    expect(ended || handles.length > before).toBe(true);
  }
  return handles;
}

describe("journal:<file>", () => {
  test("replays every logged block once per repetition, in log order", () => {
    const workload = journalWorkload(
      journal("fsmark-4k"),
      context(16384, { options: { repeat: "2", blocksPerHandle: "10" } }),
    );
    expect(workload.consumed).toBe("consumed 2 of 2 transactions");
    expect(workload).toMatchObject({ transactions: 2, blocks: 1264, repetitions: 2, threads: 1 });
    const { live } = readJournalImage(journal("fsmark-4k"));
    const blocks = live.flatMap((transaction) => [...transaction.blocks]);
    const handles = recorded(workload);
    expect(handles.flatMap(({ accesses }) => accesses)).toEqual(
      [...blocks, ...blocks].map((block) => [0, block]),
    );
    for (const { credits, accesses } of handles) {
      expect(accesses.length).toBeLessThanOrEqual(10);
      expect(credits).toBe(accesses.length);
    }
  });

  test("revokes become forgets at the end of their transaction", () => {
    const workload = journalWorkload(
      journal("1k-csum3-revoke"),
      context(4096, { options: { repeat: "1", blocksPerHandle: "1" } }),
    );
    const { live } = readJournalImage(journal("1k-csum3-revoke"));
    expect(workload.revokes).toBe(6);
    expect(recorded(workload).map(({ accesses }) => accesses[0])).toEqual(
      live.flatMap(({ blocks, revokes }) => [
        ...[...blocks].map((block) => [0, block]),
        ...[...revokes].map((block) => [3, block]),
      ]),
    );
  });

  test("at the recorded pace a repetition takes as long as the recording did", () => {
    const file = journal("remove-tree");
    const { live } = readJournalImage(file);
    const handles = recorded(journalWorkload(file, context(4096, { options: { repeat: "1" } })));
    const seconds = live.at(-1)!.commitSeconds - live[0]!.commitSeconds;
    const taken = handles.reduce((sum, { thinkNs }) => sum + thinkNs + 13_000, 0) / 1e9;
    // The first transaction has no commit before it: it takes the mean of the others.
    expect(taken).toBeCloseTo((seconds / (live.length - 1)) * live.length, 3);
    const none = { repeat: "1", pace: "none" };
    const unpaced = recorded(journalWorkload(file, context(4096, { options: none })));
    expect(unpaced.every(({ thinkNs }) => thinkNs === 0)).toBe(true);
  });

  test("is repeated until the log has wrapped as often as asked", () => {
    for (const journalBlocks of [1024, 4096, 16384]) {
      const once = journalWorkload(journal("fsmark-4k"), context(journalBlocks, { wraps: 1 }));
      const thrice = journalWorkload(journal("fsmark-4k"), context(journalBlocks));
      // 1264 blocks in a repetition, all logged when transactions are small: never less than
      // needed.
      expect(thrice.repetitions).toBeGreaterThanOrEqual((3 * journalBlocks) / 1264);
      expect(thrice.repetitions).toBeGreaterThan(once.repetitions);
    }
    const small = journalWorkload(journal("fsmark-4k"), context(1024));
    expect(small.repetitions).toBeLessThanOrEqual(5);
  });

  test("handles that take no time and fill no transaction cannot wrap a log: refused", () => {
    const options = { pace: "none", cpuNs: "0" };
    expect(() => journalWorkload(journal("4k-64bit-csum3"), context(4096, { options }))).toThrow(
      /expected handles that fill a transaction of 1365 blocks, found \d+ blocks in handles/,
    );
  });

  test("a clean journal gives its old transactions", () => {
    const workload = journalWorkload(journal("4k-clean"), context(4096));
    expect(workload.consumed).toBe("consumed 5 of 5 old transactions (the journal is clean)");
    expect(workload.transactions).toBe(5);
  });

  test("an empty journal and unknown options are refused", () => {
    const empty = Buffer.alloc(1024 * 1024);
    for (const [i, word] of [0xc03b3998, 4, 0, 1024, 1024, 1, 1].entries()) {
      empty.writeUInt32BE(word, i * 4);
    }
    const file = join(folder, "empty");
    writeFileSync(file, empty);
    expect(() => journalWorkload(file, context(4096))).toThrow(
      /expected at least one transaction with blocks, found 0/,
    );
    const options = { repaet: "3" };
    expect(() => journalWorkload(journal("4k-clean"), context(4096, { options }))).toThrow(
      /unknown parameter "repaet"; did you mean repeat\?/,
    );
  });
});

describe("handles:<file>", () => {
  const trace = (lines: string[]): string => {
    const file = join(folder, `h${lines.length}-${lines.join("").length}.txt`);
    writeFileSync(file, `${lines.join("\n")}\n`);
    return file;
  };
  const at = (task: string, time: number, call: string, name = "x"): string =>
    `  ${task}  [000] .....  ${time.toFixed(6)}: ${name}: ${call}`;
  const sample = [
    "# tracer: nop",
    at("fs_mark-10", 1, "S 40 2842", "jbd2__journal_start"),
    at("fs_mark-10", 2, "W 7", "jbd2_journal_get_write_access"),
    at("fs_mark-10", 3, "N 5000000000", "jbd2_journal_get_create_access"),
    at("kworker/u4:1-9", 4, "S 3 99"),
    at("kworker/u4:1-9", 5, "U 8"),
    at("fs_mark-10", 6, "F 7"),
    at("fs_mark-10", 7, "E 1"),
    at("kworker/u4:1-9", 8, "E 0"),
    at("fs_mark-11", 9, "S 2 1"),
    at("fs_mark-11", 10, "S 2 1"),
    at("fs_mark-11", 11, "W 9"),
    at("fs_mark-11", 12, "E 0"),
    at("fs_mark-11", 13, "W 7"),
    at("fs_mark-11", 14, "E 0"),
  ];

  test("is replayed exactly: credits, kinds, order, sync flags, nesting, tasks as threads", () => {
    const workload = handlesWorkload(trace(sample), context(4096));
    expect(workload.consumed).toBe("consumed 3 of 3 handles");
    expect(workload.threads).toBe(2);
    expect(workload.recording.tasks).toEqual([["fs_mark-10", "fs_mark-11"], ["kworker/u4:1-9"]]);
    // A block above 2^29: ranks take the numbers' place.
    const accesses = [
      [0, 0],
      [1, 3],
      [3, 0],
    ];
    expect(recorded(workload, 0)).toMatchObject([
      { credits: 40, flags: 1, accesses },
      {
        credits: 2,
        flags: 0,
        accesses: [
          [0, 2],
          [0, 0],
        ],
      },
    ]);
    expect(recorded(workload, 1)).toMatchObject([{ credits: 3, flags: 0, accesses: [[2, 1]] }]);
  });

  test("the head of the reference recording: 40 credits per create, blocks as recorded", () => {
    const file = fileURLToPath(
      new URL("./fixtures/handles/create-0b-16m.head.txt.gz", import.meta.url),
    );
    const workload = handlesWorkload(file, context(4096));
    expect(workload.consumed).toBe("consumed 508 of 509 handles; 1 open at its end");
    const handles = recorded(workload);
    expect(handles[0]!.accesses.map(([kind]) => "WNUF"[kind]).join("")).toBe("WWWWWWWWNWWWWWW");
    expect(handles[0]!.accesses.slice(0, 3)).toEqual([
      [0, 4194320],
      [0, 3],
      [0, 4194336],
    ]);
    expect(handles.filter(({ credits }) => credits === 40)).toHaveLength(507);
  });

  test("a gzip file gives the same", () => {
    const file = join(folder, "sample.gz");
    writeFileSync(file, gzipSync(`${sample.join("\n")}\n`));
    expect(recorded(handlesWorkload(file, context(4096)))).toEqual(
      recorded(handlesWorkload(trace(sample), context(4096))),
    );
  });

  test("named arguments of kprobe events are read", () => {
    const named = [
      at("a-1", 1, "(jbd2__journal_start+0x0/0x210) credits=12", "jbd2__journal_start"),
      at("a-1", 2, "(x+0x0/0x7) block=0x10", "jbd2_journal_get_write_access"),
      at("a-1", 3, "(x+0x0/0x7) sync=0", "jbd2_journal_stop"),
    ];
    expect(recorded(handlesWorkload(trace(named), context(4096)))).toMatchObject([
      { credits: 12, accesses: [[0, 16]] },
    ]);
  });

  test("what the recording cut through is counted, not used", () => {
    const cut = [
      at("a-1", 1, "W 4"),
      at("a-1", 2, "E 0"),
      at("a-1", 3, "S 1 1"),
      at("a-1", 4, "E 0"),
      at("a-1", 5, "S 1 1"),
      at("a-1", 6, "something else", "other_event"),
    ];
    expect(handlesWorkload(trace(cut), context(4096)).consumed).toBe(
      "consumed 1 of 3 handles; 1 begun before the recording, 1 open at its end, " +
        "1 other events passed over",
    );
  });

  test("anything out of order is refused with its line", () => {
    const message = (lines: string[]): string => {
      try {
        handlesWorkload(trace(lines), context(4096));
      } catch (error) {
        expect(error).toBeInstanceOf(ImportError);
        return (error as Error).message.slice(folder.length + 1);
      }
      return "accepted";
    };
    expect(message([...sample, at("fs_mark-11", 15, "W 4")])).toMatch(
      /\.txt:16: expected a start \(S\) of fs_mark-11, found W without an open handle$/,
    );
    expect(message([sample[1]!, "rubbish", sample[2]!])).toMatch(
      /\.txt:2: expected a recorded call .*, found "rubbish"$/,
    );
    expect(message([sample[1]!, at("a-1", 2, "W", "jbd2_journal_get_write_access")])).toMatch(
      /\.txt:2: expected a recorded call/,
    );
    expect(message([at("a-1", 1, "S 0 1")])).toMatch(/:1: expected credits of 1 /);
    expect(message([sample[1]!, "CPU:1 [LOST 12 EVENTS]"])).toMatch(
      /:2: expected a recording without lost events/,
    );
    expect(message(["# nothing"])).toMatch(/expected at least one recorded handle, found none/);
    expect(message([at("a-1", 1, "S 1366 1"), at("a-1", 2, "E 0")])).toMatch(
      /expected handles of at most 1365 credits.*found one of 1366$/,
    );
  });

  test("is repeated when the log is to wrap, and once without being asked", () => {
    const file = trace(sample);
    expect(handlesWorkload(file, context(4096)).repetitions).toBe(1);
    const repeated = handlesWorkload(file, context(1024, { wraps: 1 }));
    expect(repeated.repetitions).toBeGreaterThan(1000);
    const options = { repeat: "3" };
    expect(recorded(handlesWorkload(file, context(1024, { options })))).toHaveLength(6);
    expect(() => handlesWorkload(file, context(1024, { options: { thinkNs: "-1" } }))).toThrow(
      WorkloadError,
    );
  });
});
