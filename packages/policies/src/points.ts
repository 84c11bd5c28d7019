import type { DecisionPoint } from "@jbdlab/core-wasm";

type PointTable = {
  readonly [K in keyof typeof DecisionPoint as Uncapitalize<K>]: (typeof DecisionPoint)[K];
};

/** Where a policy is asked, under the names policies use; the type pins the contract's values. */
export const Point: PointTable = {
  commitStarting: 1,
  commitFinished: 2,
  homeWriteCompleted: 4,
  freeBelow: 8,
  tick: 16,
  memoryPressure: 32,
};

export type PointName = keyof PointTable;

export const POINT_NAMES = Object.keys(Point) as PointName[];

/** The name of a decision point, for messages; `start` for anything that is none. */
export function pointName(point: number): string {
  return POINT_NAMES.find((name) => Point[name] === point) ?? "start";
}

/** The bit set the core wants in `decisionMask`. */
export function maskOf(points: readonly PointName[]): number {
  return points.reduce((mask, name) => mask | Point[name], 0);
}
