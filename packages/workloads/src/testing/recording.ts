import { readFileSync } from "node:fs";
import { gunzipSync } from "node:zlib";

/** A handle as lists of numbers: what both the recording and the generator are reduced to. */
export interface PlainHandle {
  readonly credits: number;
  /** Block numbers in order. */
  readonly blocks: number[];
  /** The handle with its blocks' classes for names: "40 IB GD I0 I0 D0 D0 I1 I0". */
  readonly form: string;
}

const GROUP = 128;
const BASE = GROUP * 32768;
const INODE_TABLE = BASE + 32;
const DIRECTORIES = INODE_TABLE + 16 * 512;

/** Class of a block of the recording's file system. */
export function classOf(block: number): "SB" | "GD" | "BB" | "IB" | "I" | "D" {
  if (block < BASE) {
    return block === 0 ? "SB" : "GD";
  }
  if (block < BASE + 16) {
    return "BB";
  }
  return block < INODE_TABLE ? "IB" : block < DIRECTORIES ? "I" : "D";
}

/** Names a handle's blocks by class, inode-table and directory blocks by order of appearance. */
export function formOf(credits: number, blocks: readonly number[], created: boolean[]): string {
  const names = new Map<number, string>();
  const counts = { I: 0, D: 0 };
  const words = blocks.map((block, i) => {
    let name = names.get(block);
    if (name === undefined) {
      const kind = classOf(block);
      name = kind === "I" || kind === "D" ? `${kind}${counts[kind]++}` : kind;
      names.set(block, name);
    }
    return created[i] ? `N:${name}` : name;
  });
  return [credits, ...words].join(" ");
}

/** The 40065 handles of create-0b-16m (see fixtures/README.md). */
export function readRecording(): PlainHandle[] {
  const file = new URL("../fixtures/create-0b-16m.compact.txt.gz", import.meta.url);
  const lines = gunzipSync(readFileSync(file)).toString("latin1").split("\n");
  const count = Number(lines[0]!.split(" ")[1]);
  const forms = lines.slice(1, 1 + count).map((line) => line.split(" "));
  const last = { I: 0, D: 0 };
  return lines.slice(count + 2, -1).map((line) => {
    const numbers = line.split(" ").map(Number);
    const [credits, ...words] = forms[numbers[0]!]!;
    let next = 1;
    const of = (kind: "I" | "D", start: number) => {
      const distinct = new Set(words.map((word) => word.replace("N:", "")));
      return [...distinct]
        .filter((word) => word.startsWith(kind) && word !== "IB" && /^.\d/.test(word))
        .sort()
        .map(() => {
          last[kind] += numbers[next++]!;
          return start + last[kind];
        });
    };
    const inodes = of("I", INODE_TABLE);
    const directories = of("D", DIRECTORIES);
    const blocks = words.map((word) => blockOf(word.replace("N:", ""), inodes, directories));
    const created = words.map((word) => word.startsWith("N:"));
    return { credits: Number(credits), blocks, form: formOf(Number(credits), blocks, created) };
  });
}

function blockOf(word: string, inodes: number[], directories: number[]): number {
  if (word === "SB") {
    return 0;
  }
  if (word === "GD") {
    return 3;
  }
  const index = Number(word.replace(/\D/g, ""));
  if (word.startsWith("BB")) {
    return BASE + index;
  }
  if (word.startsWith("IB")) {
    return BASE + 16 + index;
  }
  return (word.startsWith("I") ? inodes : directories)[index]!;
}

/** Handles it takes to touch `distinct` different blocks, over and over. */
export function transactionLengths(handles: readonly PlainHandle[], distinct: number): number[] {
  const lengths: number[] = [];
  let touched = new Set<number>();
  let from = 0;
  for (const [i, { blocks }] of handles.entries()) {
    for (const block of blocks) {
      touched.add(block);
    }
    if (touched.size >= distinct) {
      lengths.push(i + 1 - from);
      from = i + 1;
      touched = new Set();
    }
  }
  return lengths;
}
