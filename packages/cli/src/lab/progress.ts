/** How far a sweep is. */
export interface ProgressReport {
  /** 0 to 1, by work. */
  readonly share: number;
  readonly runsDone: number;
  readonly runsWanted: number;
  /** Handles done by all runs. */
  readonly handles: number;
  readonly elapsedSeconds: number;
  /** null until there is something to go by. */
  readonly secondsLeft: number | null;
}

/** Turns counters of handles into a share of the whole work. */
export class Progress {
  readonly #work: readonly number[];
  readonly #total: number;
  readonly #started = performance.now();
  readonly #done = new Set<number>();
  #workDone = 0;
  #handlesDone = 0;

  /** `work`: of each run, in any unit that compares. */
  constructor(work: readonly number[]) {
    this.#work = work;
    this.#total = work.reduce((sum, each) => sum + each, 0);
  }

  finished(run: number, handles: number): void {
    this.#done.add(run);
    this.#workDone += this.#work[run] ?? 0;
    this.#handlesDone += handles;
  }

  /** `running`: handles done so far by each run, finished ones included. */
  report(running: ArrayLike<number>): ProgressReport {
    // Handles per unit of work are not known before a run has ended; until then one handle is one
    // unit.
    const perWork = this.#workDone === 0 ? 1 : this.#handlesDone / this.#workDone;
    let handles = this.#handlesDone;
    let work = this.#workDone;
    for (let run = 0; run < this.#work.length; run++) {
      const own = running[run] ?? 0;
      if (own === 0 || this.#done.has(run)) continue;
      handles += own;
      work += Math.min(own / perWork, 0.99 * (this.#work[run] ?? 0));
    }
    const share = this.#total === 0 ? 1 : work / this.#total;
    const elapsedSeconds = (performance.now() - this.#started) / 1000;
    return {
      share,
      runsDone: this.#done.size,
      runsWanted: this.#work.length,
      handles,
      elapsedSeconds,
      secondsLeft: share < 0.01 ? null : (elapsedSeconds * (1 - share)) / share,
    };
  }
}
