import type { PolicyView } from "@jbdlab/core-wasm";

const FIELDS: { readonly [K in keyof PolicyView]: true } = {
  point: true,
  timeNs: true,
  journalBlocks: true,
  maxTransaction: true,
  free: true,
  spaceLeft: true,
  runningBlocks: true,
  runningAgeNs: true,
  committing: true,
  checkpointTransactions: true,
  checkpointBlocks: true,
  oldestBlocks: true,
  oldestRejoined: true,
  oldestDirty: true,
  oldestClean: true,
  dirtyBuffers: true,
  logFillRate: true,
  commitDurationNs: true,
  deviceQueue: true,
  backgroundPending: true,
  tailGain: true,
};

/**
 * One read-only window per driver, pointed at the view of the decision at hand: no copy per
 * decision, and the core may reuse its own object. A write is reported to `onWrite`, also from
 * sloppy-mode code that would not notice a frozen field; the policy cannot hide it by catching.
 */
export class GuardedView {
  #target: PolicyView | undefined;
  readonly window: PolicyView;

  constructor(onWrite: (field: string) => never) {
    const window = {};
    for (const field of Object.keys(FIELDS) as (keyof PolicyView)[]) {
      Object.defineProperty(window, field, {
        enumerable: true,
        get: () => this.#target?.[field],
        set: () => onWrite(field),
      });
    }
    this.window = Object.freeze(window) as PolicyView;
  }

  /** Shows `view` from now on. */
  show(view: PolicyView): PolicyView {
    this.#target = view;
    return this.window;
  }
}
