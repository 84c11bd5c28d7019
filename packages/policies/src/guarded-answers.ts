import type { PolicyAnswers } from "@jbdlab/core-wasm";
import { found, type PolicyRule } from "./error.js";
import { Point } from "./points.js";

/** Answers a policy may give per decision; more is a loop. */
export const MAX_ANSWERS = 64;

/** Largest count an answer takes: the core's numbers are 32 bit. */
export const MAX_COUNT = 2 ** 31 - 1;

/** Shortest tick: anything shorter asks more often than a disk could answer. */
export const MIN_TICK_NS = 1_000;
export const MAX_TICK_NS = 3_600e9;
export const MAX_DELAY_NS = 100e6;

/**
 * Checks each answer of one policy and passes the legal ones on to the core of the decision at
 * hand. Fractions are cut off, as the core does.
 */
export class GuardedAnswers implements PolicyAnswers {
  #core: PolicyAnswers | undefined;
  #count = 0;

  constructor(
    /** Decision points the policy is asked at. */
    readonly decisionMask: number,
    /** Remembers the broken rule before it is thrown, so that a policy cannot catch it away. */
    readonly fail: (rule: PolicyRule, message: string) => never,
  ) {
    Object.freeze(this);
  }

  open(core: PolicyAnswers): void {
    this.#core = core;
    this.#count = 0;
  }

  close(): void {
    this.#core = undefined;
  }

  dropClean(mode: "stop" | "skip", budget: number): void {
    if (mode !== "stop" && mode !== "skip") {
      this.#illegal("dropClean", "mode", "stop | skip", mode);
    }
    this.#pass().dropClean(mode, this.#whole("dropClean", "budget", budget, 1, MAX_COUNT));
  }

  requestCommit(): void {
    this.#pass().requestCommit();
  }

  writeHome(buffers: number): void {
    this.#pass().writeHome(this.#whole("writeHome", "buffers", buffers, 1, MAX_COUNT));
  }

  checkpointOldest(whileBelow?: number): void {
    const below =
      whileBelow === undefined
        ? undefined
        : this.#whole("checkpointOldest", "whileBelow", whileBelow, 1, MAX_COUNT);
    this.#pass().checkpointOldest(below);
  }

  moveTail(minFreed: number): void {
    this.#pass().moveTail(this.#whole("moveTail", "minFreed", minFreed, 0, MAX_COUNT));
  }

  armFreeBelow(blocks: number): void {
    this.#heard("armFreeBelow", "freeBelow", Point.freeBelow);
    this.#pass().armFreeBelow(this.#whole("armFreeBelow", "blocks", blocks, 0, MAX_COUNT));
  }

  armTick(ns: number): void {
    this.#heard("armTick", "tick", Point.tick);
    this.#pass().armTick(this.#whole("armTick", "ns", ns, MIN_TICK_NS, MAX_TICK_NS));
  }

  delayHandles(ns: number): void {
    this.#pass().delayHandles(this.#whole("delayHandles", "ns", ns, 0, MAX_DELAY_NS));
  }

  #pass(): PolicyAnswers {
    if (this.#core === undefined) {
      this.fail("answered-too-late", "answers are good during start and decide only");
    }
    this.#count++;
    if (this.#count > MAX_ANSWERS) {
      this.fail("too-many-answers", `more than ${MAX_ANSWERS} answers in one decision`);
    }
    return this.#core;
  }

  #whole(answer: string, argument: string, value: unknown, min: number, max: number): number {
    if (typeof value !== "number" || !(value >= min && value <= max)) {
      this.#illegal(answer, argument, `a number from ${min} to ${max}`, value);
    }
    return Math.floor(value);
  }

  #heard(answer: string, name: string, point: number): void {
    if ((this.decisionMask & point) === 0) {
      this.fail("illegal-answer", `${answer}: ${name} is not among its decisionPoints`);
    }
  }

  #illegal(answer: string, argument: string, expected: string, value: unknown): never {
    const message = `${answer}(${argument}): expected ${expected}, found ${found(value)}`;
    return this.fail("illegal-answer", message);
  }
}
