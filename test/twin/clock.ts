import type { Note, TwinEvent } from "./state.js";

/** A binary heap: the smallest item first. */
export class Heap<T> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }
  get size(): number {
    return this.#items.length;
  }
  get first(): T | undefined {
    return this.#items[0];
  }
  push(item: T): void {
    const items = this.#items;
    let at = items.length;
    while (at > 0) {
      const parent = (at - 1) >> 1;
      const above = items[parent] as T;
      if (!this.#before(item, above)) break;
      items[at] = above;
      at = parent;
    }
    items[at] = item;
  }
  pop(): T | undefined {
    const items = this.#items;
    const top = items[0];
    const last = items.pop() as T;
    if (items.length === 0) return top;
    let at = 0;
    for (;;) {
      let child = 2 * at + 1;
      if (child >= items.length) break;
      const right = child + 1;
      if (right < items.length && this.#before(items[right] as T, items[child] as T)) child = right;
      if (!this.#before(items[child] as T, last)) break;
      items[at] = items[child] as T;
      at = child;
    }
    items[at] = last;
    return top;
  }
}

interface Event {
  readonly time: number;
  readonly sequence: number;
  readonly action: () => void;
}

function mix(hash: number, value: number): number {
  const product = Math.imul(hash ^ value, 0x9e3779b1);
  return (product << 13) | (product >>> 19);
}

/** Simulated time in ns, the events to come, and the digest of those that were. */
export class Clock {
  now = 0;
  listener: ((event: TwinEvent) => void) | undefined;
  readonly #events = new Heap<Event>(
    (a, b) => a.time < b.time || (a.time === b.time && a.sequence < b.sequence),
  );
  #sequence = 0;
  #low = 0x811c9dc5;
  #high = 0x9747b28c;

  at(time: number, action: () => void): void {
    this.#events.push({ time, sequence: this.#sequence++, action });
  }
  /** Does the earliest event; false when there is none. */
  step(): boolean {
    const event = this.#events.pop();
    if (event === undefined) return false;
    this.now = event.time;
    event.action();
    return true;
  }
  /** Something happened that the digest covers. */
  note(note: Note, a: number, b: number): void {
    const { now } = this;
    this.#low = mix(mix(this.#low, now), (note << 24) ^ a);
    this.#high = mix(mix(this.#high, Math.floor(now / 2 ** 32) ^ a), b ^ note);
    this.listener?.({ timeNs: now, note, a, b });
  }
  /** Something happened that only a listener wants to know. */
  tell(note: Note, a: number, b: number): void {
    this.listener?.({ timeNs: this.now, note, a, b });
  }
  get digest(): string {
    const hex = (n: number) => (n >>> 0).toString(16).padStart(8, "0");
    return hex(this.#high) + hex(this.#low);
  }
}
