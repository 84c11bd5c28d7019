import { Access, HandleFlag, type HandleSink, type Workload } from "@jbdlab/core-wasm";
import { REAL_MACHINE_SCALE } from "../ext4/costs.js";
import type { WorkloadContext } from "../workload.js";
import { coreBlockNumbers } from "./block-numbers.js";
import { HandlesParser, type RecordedHandles } from "./handles.js";
import { ImportError } from "./import-error.js";
import { parseFileSync } from "./lines.js";
import { replayOptions } from "./replay-options.js";
import { REPEAT, type Repeatable, repetitionsToWrap } from "./wraps.js";

/** Options after `handles:<file>`. */
export const HANDLES_PARAMETERS = {
  repeat: REPEAT,
  thinkNs: {
    kind: "integer",
    default: 24_000,
    min: 0,
    max: 1_000_000_000,
    unit: "ns",
    help: "CPU time of the task before each handle (24 us: fs_mark in the reference kernel runs)",
  },
  cpuNs: {
    kind: "integer",
    default: 33_000,
    min: 0,
    max: 1_000_000_000,
    unit: "ns",
    help: "CPU time inside each handle (33 us: a create in the reference kernel runs)",
  },
  cpuScale: {
    kind: "number",
    default: REAL_MACHINE_SCALE,
    min: 0,
    max: 1000,
    unit: "x",
    help: "multiplies both: 1 = the emulated machine of those runs, 0.23 = a real one",
  },
} as const;

/** A recorded handle sequence as a workload. */
export interface HandlesWorkload extends Workload {
  /** "consumed 40065 of 40065 handles". */
  readonly consumed: string;
  readonly recording: RecordedHandles;
  readonly repetitions: number;
}

const SYNC = 0x8000_0000;
const COUNT = 0x7fff_ffff;
const INDEX = 0x1fff_ffff;

/**
 * `handles:<file>`: a recorded sequence of jbd2 handles (see `HandlesParser`), replayed exactly:
 * credits, accesses in order and kind, sync flags, tasks as threads. Times are not taken from
 * the recording, which costs time itself. Without `wraps` in the context the recording is
 * replayed once. Throws ImportError when the file cannot be understood, WorkloadError on bad
 * options.
 */
export function handlesWorkload(path: string, context: WorkloadContext): HandlesWorkload {
  const options = replayOptions("handles", HANDLES_PARAMETERS, context.options);
  const recording = parseFileSync(path, new HandlesParser(path));
  const largest = context.maxTransactionBlocks ?? Math.floor(context.journalBlocks / 3);
  if (recording.largestCredits > largest) {
    const expected = `handles of at most ${largest} credits, the largest transaction of this log`;
    throw new ImportError(path, undefined, expected, `one of ${recording.largestCredits}`);
  }
  const times = {
    thinkNs: Math.round(options.thinkNs * options.cpuScale),
    cpuNs: Math.round(options.cpuNs * options.cpuScale),
  };
  const once = options.repeat === 0 && context.wraps === undefined;
  const repetitions = once
    ? 1
    : options.repeat ||
      repetitionsToWrap("handles", repeatable(recording, times), context.wraps ?? 1, context);
  const numbers = coreBlockNumbers(recording.blocks);
  const threads = recording.threads.map((words) => new Thread(words, numbers, repetitions, times));
  return {
    name: "handles",
    threads: threads.length,
    fill: (thread, sink) => threads[thread]!.fill(sink),
    consumed: recording.consumed,
    recording,
    repetitions,
  };
}

interface Times {
  readonly thinkNs: number;
  readonly cpuNs: number;
}

class Thread {
  #at = 0;
  #repetition = 0;

  constructor(
    private readonly words: Uint32Array,
    private readonly numbers: Uint32Array,
    private readonly repetitions: number,
    private readonly times: Times,
  ) {}

  fill(sink: HandleSink): void {
    const { words, numbers } = this;
    const { thinkNs, cpuNs } = this.times;
    while (!sink.full) {
      if (this.#at === words.length) {
        this.#at = 0;
        this.#repetition++;
      }
      if (this.#repetition === this.repetitions) {
        sink.end();
        return;
      }
      const head = words[this.#at]!;
      const flags = head >= SYNC ? HandleFlag.Sync : HandleFlag.None;
      sink.handle(words[this.#at + 1]!, thinkNs, cpuNs, 0, flags);
      const end = this.#at + 2 + (head & COUNT);
      for (let i = this.#at + 2; i < end; i++) {
        const word = words[i]!;
        sink.access((word >>> 29) as Access, numbers[word & INDEX]!);
      }
      this.#at = end;
    }
  }
}

/** One thread after the other: near enough to count what the log takes. */
function repeatable({ threads }: RecordedHandles, { thinkNs, cpuNs }: Times): Repeatable {
  return {
    replay(running, after) {
      for (const words of threads) {
        for (let at = 0; at < words.length; ) {
          const end = at + 2 + (words[at]! & COUNT);
          for (let i = at + 2; i < end; i++) {
            if (words[i]! >>> 29 === Access.Forget) {
              running.delete(words[i]! & INDEX);
            } else {
              running.add(words[i]! & INDEX);
            }
          }
          at = end;
          after((thinkNs + cpuNs) / threads.length);
        }
      }
    },
  };
}
