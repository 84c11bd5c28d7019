import { Access, HandleFlag, type HandleSink, type Workload } from "@jbdlab/core-wasm";
import type { WorkloadContext } from "../workload.js";
import { coreBlockNumbers } from "./block-numbers.js";
import { ImportError } from "./import-error.js";
import { type JournalImage, type JournalTransaction, readJournalImage } from "./jbd2-image.js";
import { replayOptions } from "./replay-options.js";
import { REPEAT, type Repeatable, repetitionsToWrap } from "./wraps.js";

/** Options after `journal:<file>`. */
export const JOURNAL_PARAMETERS = {
  repeat: REPEAT,
  blocksPerHandle: {
    kind: "integer",
    default: 8,
    min: 1,
    max: 256,
    unit: "blocks",
    help: "blocks of a transaction that one handle touches: a journal does not record its handles",
  },
  pace: {
    kind: "choice",
    default: "recorded",
    choices: ["recorded", "none"],
    help: "recorded = a transaction's handles take the time between its commit and the one before",
  },
  cpuNs: {
    kind: "integer",
    default: 13_000,
    min: 0,
    max: 1_000_000_000,
    unit: "ns",
    help: "CPU time inside each handle (13 us: a create on the machine of the regression report)",
  },
} as const;

/** A journal's transactions as a workload. */
export interface JournalWorkload extends Workload {
  /** "consumed 2 of 2 transactions". */
  readonly consumed: string;
  readonly image: JournalImage;
  /** Per repetition. */
  readonly transactions: number;
  readonly blocks: number;
  readonly revokes: number;
  readonly handles: number;
  readonly repetitions: number;
}

/** Two commits further apart than this tell of idleness, not of pace. */
const LONGEST_INTERVAL_SECONDS = 10;
const DEFAULT_WRAPS = 3;
/** The contract's times are unsigned 32 bits. */
const MAX_THINK_NS = 2 ** 32 - 1;

/** Handles of one repetition: `first[i]` ... `first[i + 1] - 1` index `blocks`. */
interface Script {
  readonly blocks: Uint32Array;
  /** 1: the block is revoked, not written. */
  readonly isForget: Uint8Array;
  readonly first: Uint32Array;
  readonly thinkNs: Uint32Array;
}

/**
 * `journal:<file>`: the live transactions of a jbd2 journal (of a clean one: the old
 * transactions that its log still holds) replayed as handles. Each block is touched once, in log
 * order, by handles of `blocksPerHandle` blocks; revoked blocks are forgotten at the end of
 * their transaction. A transaction above the maximum is split, small ones grow together: jbd2
 * closes transactions, not the recording. Throws ImportError when the file is no journal or
 * holds no transaction, WorkloadError on bad options.
 */
export function journalWorkload(path: string, context: WorkloadContext): JournalWorkload {
  const options = replayOptions("journal", JOURNAL_PARAMETERS, context.options);
  const image = readJournalImage(path);
  const transactions = image.transactions.length > 0 ? image.transactions : image.old.whole;
  if (!transactions.some(({ blocks }) => blocks.length > 0)) {
    const found = `${transactions.length} (${image.consumed.text})`;
    throw new ImportError(path, undefined, "at least one transaction with blocks", found);
  }
  const script = scriptOf(transactions, options.blocksPerHandle, options.pace, options.cpuNs);
  const handles = script.first.length - 1;
  const wraps = context.wraps ?? DEFAULT_WRAPS;
  const repetitions =
    options.repeat ||
    repetitionsToWrap("journal", repeatable(script, options.cpuNs), wraps, context);
  const replay = new Replay(script, repetitions, options.cpuNs);
  return {
    name: "journal",
    threads: 1,
    fill: (_thread, sink) => replay.fill(sink),
    consumed:
      transactions === image.old.whole && image.superblock.start !== 0
        ? `${image.consumed.text}; ${transactions.length} old transactions used instead`
        : image.consumed.text,
    image,
    transactions: transactions.length,
    blocks: transactions.reduce((sum, { blocks }) => sum + blocks.length, 0),
    revokes: transactions.reduce((sum, { revokes }) => sum + revokes.length, 0),
    handles,
    repetitions,
  };
}

function scriptOf(
  transactions: readonly JournalTransaction[],
  blocksPerHandle: number,
  pace: string,
  cpuNs: number,
): Script {
  const all = transactions.flatMap(({ blocks, revokes }) => [...blocks, ...revokes]);
  const numbers = coreBlockNumbers(all);
  const isForget = new Uint8Array(numbers.length);
  const first: number[] = [];
  const thinkNs: number[] = [];
  const seconds = intervals(transactions);
  let at = 0;
  transactions.forEach(({ blocks, revokes }, t) => {
    const end = at + blocks.length + revokes.length;
    isForget.fill(1, at + blocks.length, end);
    const handles = Math.ceil((end - at) / blocksPerHandle);
    const share = pace === "recorded" ? (seconds[t]! * 1e9) / handles - cpuNs : 0;
    for (; at < end; at += Math.min(blocksPerHandle, end - at)) {
      first.push(at);
      thinkNs.push(Math.min(Math.max(0, Math.round(share)), MAX_THINK_NS));
    }
  });
  first.push(numbers.length);
  return {
    blocks: numbers,
    isForget,
    first: Uint32Array.from(first),
    thinkNs: Uint32Array.from(thinkNs),
  };
}

/**
 * Seconds each transaction took, from one commit record to the next; the mean where that is
 * unknown, 0 without any.
 */
function intervals(transactions: readonly JournalTransaction[]): number[] {
  const measured = transactions.map((transaction, i) => {
    const before = transactions[i - 1];
    const adjacent = before !== undefined && ((transaction.tid - before.tid) | 0) === 1;
    const seconds = adjacent ? transaction.commitSeconds - before.commitSeconds : -1;
    return seconds >= 0 && seconds <= LONGEST_INTERVAL_SECONDS ? seconds : undefined;
  });
  const known = measured.filter((seconds) => seconds !== undefined);
  const mean = known.length === 0 ? 0 : known.reduce((a, b) => a + b) / known.length;
  return measured.map((seconds) => seconds ?? mean);
}

function repeatable({ blocks, isForget, first, thinkNs }: Script, cpuNs: number): Repeatable {
  return {
    replay(running, after) {
      for (let h = 0; h < thinkNs.length; h++) {
        for (let i = first[h]!; i < first[h + 1]!; i++) {
          if (isForget[i] === 1) {
            running.delete(blocks[i]!);
          } else {
            running.add(blocks[i]!);
          }
        }
        after(thinkNs[h]! + cpuNs);
      }
    },
  };
}

class Replay {
  #handle = 0;
  #repetition = 0;

  constructor(
    private readonly script: Script,
    private readonly repetitions: number,
    private readonly cpuNs: number,
  ) {}

  fill(sink: HandleSink): void {
    const { blocks, isForget, first, thinkNs } = this.script;
    while (!sink.full) {
      if (this.#handle === thinkNs.length) {
        this.#handle = 0;
        this.#repetition++;
      }
      if (this.#repetition === this.repetitions) {
        sink.end();
        return;
      }
      const from = first[this.#handle]!;
      const to = first[this.#handle + 1]!;
      sink.handle(to - from, thinkNs[this.#handle]!, this.cpuNs, 0, HandleFlag.None);
      for (let i = from; i < to; i++) {
        sink.access(isForget[i] === 1 ? Access.Forget : Access.Write, blocks[i]!);
      }
      this.#handle++;
    }
  }
}
