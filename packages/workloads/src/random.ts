/**
 * Seeded generator of 32-bit numbers (sfc32, public domain, by Chris Doty-Humphrey): integer
 * arithmetic only, so the same seed and stream give the same numbers on every engine.
 */
export class Random {
  #a: number;
  #b: number;
  #c: number;
  #counter = 1;

  /**
   * seed: any integer, its low 53 bits count; stream: an independent sequence of the same seed (a
   * thread, a purpose).
   */
  constructor(seed: number, stream = 0) {
    this.#a = seed | 0;
    this.#b = Math.floor(seed / 0x1_0000_0000) | 0;
    this.#c = stream | 0;
    for (let i = 0; i < 15; i++) {
      this.u32();
    }
  }

  /** 0 ... 2^32-1. */
  u32(): number {
    return this.i32() >>> 0;
  }

  /** The same 32 bits as a signed number: the cheap form for masks and shifts. */
  i32(): number {
    const t = (((this.#a + this.#b) | 0) + this.#counter) | 0;
    this.#counter = (this.#counter + 1) | 0;
    this.#a = this.#b ^ (this.#b >>> 9);
    this.#b = (this.#c + (this.#c << 3)) | 0;
    this.#c = (((this.#c << 21) | (this.#c >>> 11)) + t) | 0;
    return t;
  }

  /** A whole number 0 ... bound-1; bound 1 ... 2^31. The bias is below bound/2^32. */
  below(bound: number): number {
    return Math.floor((this.u32() / 0x1_0000_0000) * bound);
  }

  /** 0 <= x < 1 in steps of 2^-32. */
  unit(): number {
    return this.u32() / 0x1_0000_0000;
  }
}
