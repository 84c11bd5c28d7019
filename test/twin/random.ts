/** Small seeded numbers for the random worlds (mulberry32 by T. Ettinger, public domain). */
export class Random {
  #state: number;
  constructor(seed: number) {
    this.#state = seed >>> 0;
  }
  #next(): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0;
    let x = this.#state;
    x = Math.imul(x ^ (x >>> 15), x | 1);
    x ^= x + Math.imul(x ^ (x >>> 7), x | 61);
    return (x ^ (x >>> 14)) >>> 0;
  }
  /** A whole number from `from` to `to`, both included. */
  whole(from: number, to: number): number {
    return from + (this.#next() % (to - from + 1));
  }
  chance(percent: number): boolean {
    return this.#next() % 100 < percent;
  }
  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.#next() % items.length] as T;
  }
}
