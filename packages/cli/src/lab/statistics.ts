import tQuantile from "@stdlib/stats-base-dists-t-quantile";
import ttest2 from "@stdlib/stats-ttest2";
import { harmonicMean, mean, sampleVariance } from "simple-statistics";

/**
 * A mean over seeds with its 95 % interval; `low` = `high` = `mean` when the seeds agree exactly.
 */
export interface Estimate {
  readonly mean: number;
  /** NaN-free: null with a single value, which has no interval. */
  readonly low: number | null;
  readonly high: number | null;
  readonly n: number;
}

/** A difference from a base in percent of the base's mean, with its 95 % interval (Welch). */
export interface Gap {
  readonly percent: number;
  readonly low: number | null;
  readonly high: number | null;
}

/** Mean of rates over equal work; 0 when one of them is 0. Throws RangeError without values. */
export function harmonic(rates: readonly number[]): number {
  if (rates.length === 0) throw new RangeError("harmonic mean of no values");
  return rates.some((rate) => rate === 0) ? 0 : harmonicMean([...rates]);
}

/** Arithmetic mean with Student's 95 % interval. Throws RangeError without values. */
export function estimate(values: readonly number[]): Estimate {
  const n = values.length;
  if (n === 0) throw new RangeError("estimate of no values");
  const average = mean([...values]);
  if (n === 1) return { mean: average, low: null, high: null, n };
  const error = Math.sqrt(sampleVariance([...values]) / n);
  const half = error === 0 ? 0 : tQuantile(0.975, n - 1) * error;
  return { mean: average, low: average - half, high: average + half, n };
}

/**
 * How much `values` differ from `base`, in percent of the base's mean. The interval is Welch's for
 * the difference of the means; it takes the base's mean as exact when turning it into percent.
 */
export function gap(values: readonly number[], base: readonly number[]): Gap {
  const baseMean = mean([...base]);
  const percent = (100 * (mean([...values]) - baseMean)) / baseMean;
  if (values.length < 2 || base.length < 2) return { percent, low: null, high: null };
  const spread = sampleVariance([...values]) + sampleVariance([...base]);
  if (spread === 0) return { percent, low: percent, high: percent };
  const [low, high] = ttest2([...values], [...base]).ci as [number, number];
  return { percent, low: (100 * low) / baseMean, high: (100 * high) / baseMean };
}

/** Rounds to `digits` significant digits, so that files do not carry noise of the last bits. */
export function significant(value: number, digits = 9): number {
  return Number.isFinite(value) ? Number(value.toPrecision(digits)) : value;
}
