import { Random } from "../random.js";

const SECOND = 1e9;

/**
 * A thread that makes system calls: its random numbers and its clock. Between two fills the clock
 * counts the thread's own CPU time (a generator does not know how long its handles wait); each fill
 * sets it right.
 */
export class Task {
  readonly random: Random;
  /** Whole seconds of the clock. */
  second = 0;
  /** CPU time since the last record that the next one has to account for, ns before scaling. */
  pending = 0;
  /**
   * The clock, ns, and when its next second begins (an array: numbers above 2^31 in fields are
   * boxed).
   */
  readonly #clock = new Float64Array([0, SECOND]);
  /** Time of day at simulated time 0, ns: a fraction of a second. */
  readonly #origin: number;
  /** The data blocks preallocated for this thread (mballoc: a locality group). */
  windowNext = 0;
  windowEnd = 0;
  readonly #scale: number;
  readonly #jitter: number;

  /** cpuScale: see COSTS; jitterPermille: uniform jitter of thinking times, 0 ... 500. */
  constructor(seed: number, thread: number, cpuScale: number, jitterPermille: number) {
    this.random = new Random(seed, thread + 1);
    this.#scale = cpuScale;
    this.#jitter = jitterPermille / 1000 / 0x8000_0000;
    this.#origin = Math.floor(this.random.unit() * SECOND);
    this.#clock[0] = this.#origin;
  }

  /** Simulated time is `timeNs` now: the clock follows if it is behind. */
  catchUp(timeNs: number): void {
    this.#advance(Math.max(0, this.#origin + timeNs - this.#clock[0]!));
  }

  /** A random directory hash: even, below 2^31. */
  hash(): number {
    return (this.random.i32() >>> 1) & ~1;
  }

  /**
   * Thinking time for a record: what is pending and `ns`, scaled, with jitter. Whole ns; advances
   * the clock.
   */
  think(ns: number): number {
    const jitter = 1 + this.random.i32() * this.#jitter;
    const scaled = Math.round((ns + this.pending) * this.#scale * jitter);
    this.pending = 0;
    this.#advance(scaled);
    return scaled;
  }

  /** Time inside a handle, scaled; advances the clock. */
  body(ns: number): number {
    const scaled = Math.round(ns * this.#scale);
    this.#advance(scaled);
    return scaled;
  }

  /** Time another task will spend, scaled; the clock stays. */
  scaled(ns: number): number {
    return Math.round(ns * this.#scale);
  }

  #advance(ns: number): void {
    const clock = this.#clock;
    const now = clock[0]! + ns;
    clock[0] = now;
    while (now >= clock[1]!) {
      clock[1]! += SECOND;
      this.second++;
    }
  }
}
