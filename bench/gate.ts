/**
 * Slower than the baseline by more than this share fails: nine rounds on a noisy machine stay
 * below it.
 */
export const TOLERANCE = 0.35;
export const ROUNDS = 9;

/** What a task took, relative to the frozen reference task of the same round. */
export type Ratios = Readonly<Record<string, number>>;

export interface Baseline {
  readonly cpu: string;
  readonly node: string;
  readonly ratios: Ratios;
}

/** The middle value. Throws RangeError without values. */
export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  const [low, high] = [sorted[sorted.length - 1 - middle], sorted[middle]];
  if (low === undefined || high === undefined) throw new RangeError("median of no values");
  return (low + high) / 2;
}

/** Median over rounds of each task's time relative to the reference task in the same round. */
export function medianRatios(
  rounds: readonly Readonly<Record<string, number>>[],
  reference: string,
): Ratios {
  const names = Object.keys(rounds[0] ?? {}).filter((name) => name !== reference);
  const ratioIn = (round: Readonly<Record<string, number>>, name: string) =>
    (round[name] ?? Number.NaN) / (round[reference] ?? Number.NaN);
  return Object.fromEntries(
    names.map((name) => [name, median(rounds.map((round) => ratioIn(round, name)))]),
  );
}

/**
 * One line for every task that is slower than the baseline allows, or that the baseline does not
 * know.
 */
export function complaints(ratios: Ratios, baseline: Baseline): string[] {
  return Object.entries(ratios).flatMap(([name, ratio]) => {
    const before = baseline.ratios[name];
    if (before === undefined) return [`${name}: no baseline; record it with --update`];
    if (ratio <= before * (1 + TOLERANCE)) return [];
    const percent = (100 * (ratio / before - 1)).toFixed(0);
    return [`${name}: ${percent} % slower than the baseline (ratio ${ratio.toFixed(3)})`];
  });
}
