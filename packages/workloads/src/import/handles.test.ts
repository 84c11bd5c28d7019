import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import { describe, expect, test } from "vitest";
import { HandlesParser, type RecordedHandles } from "./handles.js";
import { parseText } from "./lines.js";

const text = gunzipSync(
  readFileSync(
    fileURLToPath(new URL("./fixtures/handles/linux-6.1-kprobes.txt.gz", import.meta.url)),
  ),
).toString("latin1");
const recording = parseText("h", text, new HandlesParser("h"));

/** Each handle as "credits sync accesses", an access being its kind and block. */
function handlesOf({ threads, blocks }: RecordedHandles): string[] {
  const handles: string[] = [];
  for (const words of threads) {
    for (let at = 0; at < words.length; ) {
      const count = words[at]! & 0x7fff_ffff;
      const accesses = [...words.subarray(at + 2, at + 2 + count)].map(
        (word) => `${"WNUF"[word >>> 29]}${blocks[word & 0x1fff_ffff]}`,
      );
      handles.push([words[at + 1], words[at]! >= 2 ** 31 ? 1 : 0, ...accesses].join(" "));
      at += 2 + count;
    }
  }
  return handles;
}

describe("a recording made with kprobes on Linux 6.1", () => {
  test("is understood whole; nested starts are part of the handle around them", () => {
    expect(recording.consumed).toBe("consumed 381 of 381 handles");
    expect(text.split("jbd2__journal_start:").length - 1).toBe(648);
    const [first] = handlesOf(recording);
    expect(first).toBe(
      "53 0 W267 W2 W277 W277 W277 W259 W2 W277 N4385 W277 W4385 W277 W4371 W275 W275",
    );
  });

  test("handles of a file system mounted sync are marked", () => {
    expect(
      handlesOf(recording).filter((handle) => / 1 |\b1$/.test(handle.slice(0, 5))),
    ).toHaveLength(3);
  });

  test("revoking a block in memory is one forget, though jbd2 calls itself", () => {
    const forgets = handlesOf(recording).filter((handle) => handle.includes("F"));
    expect(forgets).toHaveLength(1);
    expect(forgets[0]!.match(/F4385/g)).toHaveLength(1);
  });

  test("a reserved handle is started by another task than the one that reserved it", () => {
    const at = (task: string, call: string): string => ` ${task} [000] ..... 1.000000: ${call}`;
    const lines = [
      at("a-1", "jbd2__journal_start: (x+0x0/0x1) credits=9"),
      at("a-1", "jbd2_journal_stop: (x+0x0/0x1) sync=0"),
      at("kworker/0:1-2", "jbd2_journal_start_reserved: (x+0x0/0x1) credits=3"),
      at("kworker/0:1-2", "jbd2_journal_get_write_access: (x+0x0/0x1) block=4"),
      at("kworker/0:1-2", "jbd2_journal_stop: (x+0x0/0x1) sync=0"),
    ];
    const reserved = parseText("h", `${lines.join("\n")}\n`, new HandlesParser("h"));
    expect(handlesOf(reserved)).toEqual(["9 0", "3 0 W4"]);
  });
});
