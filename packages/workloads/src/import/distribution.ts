/** A distribution as reports show it. Values that a source does not tell are undefined, never 0. */
export interface Summary {
  readonly count: number;
  readonly total: number;
  readonly mean: number;
  readonly min: number | undefined;
  readonly max: number | undefined;
  /** Quantiles are exact to 2 %. */
  readonly p50: number | undefined;
  readonly p90: number | undefined;
  readonly p99: number | undefined;
}

/** Sub-buckets per power of two: 32 keep a quantile within 2 %. */
const SUB = 32;
const BUCKETS = 1024 * 2;
/** Smallest value that a bucket tells apart from 0: 2^-20. */
const LOWEST = 20;

/** Values >= 0 in constant memory: count, sum, extremes and a logarithmic histogram. */
export class Distribution {
  #count = 0;
  #positive = 0;
  #total = 0;
  #min = Number.POSITIVE_INFINITY;
  #max = 0;
  #buckets: Uint32Array | undefined;

  get count(): number {
    return this.#count;
  }

  /** Values above 0. */
  get positive(): number {
    return this.#positive;
  }

  get total(): number {
    return this.#total;
  }

  add(value: number): void {
    this.#count++;
    this.#positive += value > 0 ? 1 : 0;
    this.#total += value;
    this.#min = Math.min(this.#min, value);
    this.#max = Math.max(this.#max, value);
    this.#buckets ??= new Uint32Array(BUCKETS);
    this.#buckets[bucketOf(value)]!++;
  }

  /** The value that `share` (0 ... 1) of all values do not exceed; undefined without values. */
  quantile(share: number): number | undefined {
    let left = Math.max(1, Math.ceil(share * this.#count));
    for (let i = 0; this.#buckets !== undefined && i < BUCKETS; i++) {
      left -= this.#buckets[i]!;
      if (left <= 0) {
        return Math.min(Math.max(middleOf(i), this.#min), this.#max);
      }
    }
    return undefined;
  }

  /** Undefined without values. */
  summary(): Summary | undefined {
    if (this.#count === 0) {
      return undefined;
    }
    return {
      count: this.#count,
      total: this.#total,
      mean: this.#total / this.#count,
      min: this.#min,
      max: this.#max,
      p50: this.quantile(0.5),
      p90: this.quantile(0.9),
      p99: this.quantile(0.99),
    };
  }
}

function bucketOf(value: number): number {
  if (value < 2 ** -LOWEST) {
    return 0;
  }
  const power = Math.min(Math.floor(Math.log2(value)), 62 - LOWEST);
  const within = Math.min(Math.floor((value / 2 ** power - 1) * SUB), SUB - 1);
  return Math.min((power + LOWEST) * SUB + Math.max(within, 0) + 1, BUCKETS - 1);
}

function middleOf(bucket: number): number {
  if (bucket === 0) {
    return 0;
  }
  const power = Math.floor((bucket - 1) / SUB) - LOWEST;
  return 2 ** power * (1 + (((bucket - 1) % SUB) + 0.5) / SUB);
}

/** The summary of a mean and a count, when a source gives no more. */
export function meanOnly(count: number, mean: number): Summary {
  return {
    count,
    total: count * mean,
    mean,
    min: undefined,
    max: undefined,
    p50: undefined,
    p90: undefined,
    p99: undefined,
  };
}
