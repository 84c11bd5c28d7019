import tCdf from "@stdlib/stats-base-dists-t-cdf";

/**
 * The comparison table's format has changed twice: era 1 until 2024-11-27 (every report of
 * 2023), era 2 until 2025-12-28, era 3 since. They differ in rows, order, width and, most of
 * all, in which row is tested and how.
 */
export type MmtestsEra = 1 | 2 | 3;
export const MMTESTS_ERAS: readonly MmtestsEra[] = [1, 2, 3];

/** A row of the table: its name, its figure, and which way is better. */
export interface StatisticRow {
  readonly name: string;
  /** Samples sorted in descending order; at least one. */
  readonly of: (sorted: readonly number[]) => number;
  /** Rows of spread: smaller is better. */
  readonly spread: boolean;
  /** Tells whether two columns differ; undefined: the row is not tested. */
  readonly differ?: (a: readonly number[], b: readonly number[]) => boolean;
}

/** Two-sided, of era 1's t test. */
const ALPHA = 0.1;
const NORMAL_95 = 1.96;

/** The p-th percent of the samples from the fast end: "1st-qrtle" is the fast quarter. */
function percentile(p: number): (sorted: readonly number[]) => number {
  return (sorted) => sorted[Math.max(1, Math.floor((sorted.length * p) / 100)) - 1]!;
}

function harmonicMean(values: readonly number[]): number {
  return values.length / values.reduce((sum, x) => sum + 1 / x, 0);
}

/** Harmonic mean of the best p percent. */
function bestHarmonicMean(p: number): (sorted: readonly number[]) => number {
  return (sorted) =>
    harmonicMean(sorted.slice(0, Math.max(1, Math.floor((sorted.length * p) / 100))));
}

function mean(values: readonly number[]): number {
  return values.reduce((sum, x) => sum + x, 0) / values.length;
}

function standardDeviation(values: readonly number[]): number {
  const m = mean(values);
  const squares = values.reduce((sum, x) => sum + (x - m) ** 2, 0);
  return values.length < 2 ? 0 : Math.sqrt(squares / (values.length - 1));
}

/** Spread of the reciprocals about 1/Hmean, brought back to the scale of the samples. */
function harmonicDeviation(values: readonly number[]): number {
  const h = harmonicMean(values);
  const squares = values.reduce((sum, x) => sum + (1 / x - 1 / h) ** 2, 0);
  return Math.sqrt((squares * h ** 4) / values.length);
}

/** Era 1: t test of the harmonic means with the samples' arithmetic deviations. */
function tTest(a: readonly number[], b: readonly number[]): boolean {
  const difference = Math.abs(harmonicMean(a) - harmonicMean(b));
  const variances = [a, b].map((x) => standardDeviation(x) ** 2 / x.length);
  const error = Math.sqrt(variances[0]! + variances[1]!);
  const freedom = a.length + b.length - 2;
  if (error === 0 || freedom < 1) {
    return difference !== 0;
  }
  return 2 * (1 - tCdf(difference / error, freedom)) < ALPHA;
}

/** Smallest k with P(X <= k) >= p for X binomial(n, share). */
export function binomialQuantile(p: number, n: number, share: number): number {
  let logTerm = n * Math.log(1 - share);
  let sum = Math.exp(logTerm);
  let k = 0;
  while (sum < p && k < n) {
    logTerm += Math.log((n - k) / (k + 1)) + Math.log(share / (1 - share));
    sum += Math.exp(logTerm);
    k++;
  }
  return k;
}

/** Era 2: intervals of the 95 % order statistic that do not overlap. */
function orderStatisticsApart(a: readonly number[], b: readonly number[]): boolean {
  const interval = (sorted: readonly number[]): [number, number] => {
    const n = sorted.length - 1;
    const [low, high] = [0.025, 0.975].map((p) => binomialQuantile(p, n, 0.95));
    return [sorted[high!]!, sorted[low!]!];
  };
  return apart(interval(a), interval(b));
}

/** Era 3: Hmean +- 1.96 HStddev do not overlap (not divided by the root of n: a very wide test). */
function harmonicIntervalsApart(a: readonly number[], b: readonly number[]): boolean {
  const interval = (values: readonly number[]): [number, number] => {
    const width = NORMAL_95 * harmonicDeviation(values);
    return [harmonicMean(values) - width, harmonicMean(values) + width];
  };
  return apart(interval(a), interval(b));
}

function apart(a: readonly [number, number], b: readonly [number, number]): boolean {
  return a[1] < b[0] || b[1] < a[0];
}

const row = (
  name: string,
  of: StatisticRow["of"],
  more: Partial<StatisticRow> = {},
): StatisticRow => ({
  name,
  of,
  spread: false,
  ...more,
});
const spread = (name: string, of: StatisticRow["of"]): StatisticRow => ({ name, of, spread: true });

const MIN = row("Min", (d) => d.at(-1)!);
const MAX = row("Max", (d) => d[0]!);
const QUARTILES = [25, 50, 75].map((p, i) =>
  row(["1st-qrtle", "2nd-qrtle", "3rd-qrtle"][i]!, percentile(p)),
);
const MAXIMA = [1, 5, 10, 90, 95, 99].map((p) => row(`Max-${p}`, percentile(p)));
const BEST = [99, 95, 90, 75, 50, 25].map((p) => row(`BHmean-${p}`, bestHarmonicMean(p)));
const DEVIATION = spread("Stddev", standardDeviation);
const VARIATION = spread("CoeffVar", (d) => (100 * standardDeviation(d)) / mean(d));
const HARMONIC_DEVIATION = spread("HStddev", harmonicDeviation);
const HARMONIC_VARIATION = spread(
  "HCoeffVar",
  (d) => (100 * harmonicDeviation(d)) / harmonicMean(d),
);

/** Rows of each era's table, in order. */
export const STATISTICS: Readonly<Record<MmtestsEra, readonly StatisticRow[]>> = {
  1: [
    MIN,
    ...QUARTILES,
    ...MAXIMA,
    MAX,
    row("Hmean", harmonicMean, { differ: tTest }),
    DEVIATION,
    VARIATION,
    ...BEST,
  ],
  2: [
    MIN,
    ...QUARTILES,
    ...MAXIMA.map((maximum) =>
      maximum.name === "Max-95" ? { ...maximum, differ: orderStatisticsApart } : maximum,
    ),
    MAX,
    row("Hmean", harmonicMean),
    HARMONIC_DEVIATION,
    HARMONIC_VARIATION,
    ...BEST,
  ],
  3: [
    MIN,
    row("Hmean", harmonicMean, { differ: harmonicIntervalsApart }),
    HARMONIC_DEVIATION,
    HARMONIC_VARIATION,
    MAX,
    row("BHmean.95", bestHarmonicMean(95)),
  ],
};

/** What a star beside a figure means in each era. */
export const STAR_TESTS: Readonly<Record<MmtestsEra, string>> = {
  1: "t test of Hmean, p < 0.10",
  2: "95 % order statistic: intervals apart",
  3: "Hmean +- 1.96 HStddev apart",
};
