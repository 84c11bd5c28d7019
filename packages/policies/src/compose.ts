import type { PolicyAnswers, PolicySettings, PolicyView } from "@jbdlab/core-wasm";
import type { NamedDriver } from "./driver.js";
import { PolicyError } from "./error.js";
import { Point } from "./points.js";
import { checkSettings, MAINLINE_SETTINGS, mergeSettings } from "./settings.js";

/**
 * Several policies as one. The core has one threshold, one tick, one delay and, at a commit's
 * start and end, one cleanup and one tail move; each part sees its own. The core is armed with the
 * highest threshold and the earliest tick and only the parts that are due are asked; the longest
 * delay, the most thorough cleanup and the smallest minimum to move the tail win. Other commands
 * are queued in the order of the parts.
 *
 * The constructor throws PolicyError (composition) when two parts declare different settings.
 */
export class ComposedDriver implements NamedDriver {
  readonly name: string;
  readonly declared: Partial<PolicySettings>;
  readonly settings: PolicySettings;
  readonly decisionMask: number;
  readonly journalFactor: number;
  readonly #parts: readonly PartAnswers[];
  #tickAtNs = Number.POSITIVE_INFINITY;
  #freeBelow = 0;
  #delayNs = 0;

  constructor(drivers: readonly NamedDriver[]) {
    this.name = drivers.map((driver) => driver.name).join("+");
    const declared = drivers.map(({ name, declared }) => ({ name, settings: declared }));
    this.declared = checkSettings(this.name, mergeSettings(declared));
    this.settings = Object.freeze({ ...MAINLINE_SETTINGS, ...this.declared });
    this.decisionMask = drivers.reduce((mask, driver) => mask | driver.decisionMask, 0);
    const resized = drivers.filter((driver) => driver.journalFactor !== 1);
    if (resized.length > 1) {
      const names = resized.map((driver) => driver.name).join(" and ");
      const message = `policy ${this.name}: ${names} both resize the journal`;
      throw new PolicyError(this.name, "composition", message);
    }
    this.journalFactor = resized[0]?.journalFactor ?? 1;
    this.#parts = drivers.map((driver) => new PartAnswers(driver));
  }

  start(view: PolicyView, answers: PolicyAnswers): void {
    this.#tickAtNs = Number.POSITIVE_INFINITY;
    this.#freeBelow = 0;
    this.#delayNs = 0;
    for (const part of this.#parts) {
      part.reset();
      part.open(view, answers);
      part.driver.start(view, part);
    }
    this.#pass(view, answers);
  }

  decide(view: PolicyView, answers: PolicyAnswers): void {
    // The core's own threshold and tick fire once.
    if (view.point === Point.freeBelow) {
      this.#freeBelow = 0;
    } else if (view.point === Point.tick) {
      this.#tickAtNs = Number.POSITIVE_INFINITY;
    }
    for (const part of this.#parts) {
      if (part.isDue(view)) {
        part.open(view, answers);
        part.driver.decide(view, part);
      }
    }
    this.#pass(view, answers);
  }

  #pass(view: PolicyView, answers: PolicyAnswers): void {
    const freeBelow = Math.max(...this.#parts.map((part) => part.freeBelow));
    if (freeBelow !== this.#freeBelow) {
      this.#freeBelow = freeBelow;
      answers.armFreeBelow(freeBelow);
    }
    const tickAtNs = Math.min(...this.#parts.map((part) => part.tickAtNs));
    if (tickAtNs !== this.#tickAtNs) {
      this.#tickAtNs = tickAtNs;
      answers.armTick(Math.max(1, tickAtNs - view.timeNs));
    }
    const delayNs = Math.max(...this.#parts.map((part) => part.delayNs));
    if (delayNs !== this.#delayNs) {
      this.#delayNs = delayNs;
      answers.delayHandles(delayNs);
    }
    const drops = this.#parts.filter((part) => part.dropBudget > 0);
    if (drops.length > 0) {
      const mode = drops.some((part) => part.dropSkips) ? "skip" : "stop";
      answers.dropClean(mode, Math.max(...drops.map((part) => part.dropBudget)));
    }
    const minFreed = Math.min(...this.#parts.map((part) => part.minFreed));
    if (minFreed < Number.POSITIVE_INFINITY) {
      answers.moveTail(minFreed);
    }
    for (const part of this.#parts) {
      part.dropBudget = 0;
      part.minFreed = Number.POSITIVE_INFINITY;
    }
  }
}

/** What one part has armed and asked of kjournald; the rest goes straight to the core. */
class PartAnswers implements PolicyAnswers {
  freeBelow = 0;
  tickAtNs = Number.POSITIVE_INFINITY;
  delayNs = 0;
  dropBudget = 0;
  dropSkips = false;
  minFreed = Number.POSITIVE_INFINITY;
  #view: PolicyView | undefined;
  #core: PolicyAnswers | undefined;

  constructor(readonly driver: NamedDriver) {}

  reset(): void {
    this.freeBelow = 0;
    this.tickAtNs = Number.POSITIVE_INFINITY;
    this.delayNs = 0;
  }

  /** True when this part hears of the point; what fired for it is then no longer armed. */
  isDue(view: PolicyView): boolean {
    if ((this.driver.decisionMask & view.point) === 0) {
      return false;
    }
    if (view.point === Point.freeBelow) {
      if (view.spaceLeft >= this.freeBelow) {
        return false;
      }
      this.freeBelow = 0;
    } else if (view.point === Point.tick) {
      if (view.timeNs < this.tickAtNs) {
        return false;
      }
      this.tickAtNs = Number.POSITIVE_INFINITY;
    }
    return true;
  }

  open(view: PolicyView, core: PolicyAnswers): void {
    this.#view = view;
    this.#core = core;
  }

  dropClean(mode: "stop" | "skip", budget: number): void {
    if (this.#byKjournald(Point.commitStarting | Point.commitFinished)) {
      this.dropSkips = mode === "skip";
      this.dropBudget = budget;
    } else {
      this.#core?.dropClean(mode, budget);
    }
  }

  moveTail(minFreed: number): void {
    if (this.#byKjournald(Point.commitFinished)) {
      this.minFreed = minFreed;
    } else {
      this.#core?.moveTail(minFreed);
    }
  }

  #byKjournald(points: number): boolean {
    return ((this.#view?.point ?? 0) & points) !== 0;
  }

  requestCommit(): void {
    this.#core?.requestCommit();
  }

  writeHome(buffers: number): void {
    this.#core?.writeHome(buffers);
  }

  checkpointOldest(whileBelow?: number): void {
    this.#core?.checkpointOldest(whileBelow);
  }

  armFreeBelow(blocks: number): void {
    this.freeBelow = blocks;
  }

  armTick(ns: number): void {
    this.tickAtNs = (this.#view?.timeNs ?? 0) + ns;
  }

  delayHandles(ns: number): void {
    this.delayNs = ns;
  }
}
