import type { DecisionPoint, PolicyAnswers, PolicyView } from "./contract.js";
import { CoreError } from "./errors.js";
import type { Core } from "./wasm.js";

/**
 * The snapshot at a decision point, as assembly/policy.ts (fillView) writes it. Reads are live
 * until the run goes on.
 */
export class CoreView implements PolicyView {
  readonly #core: Core;
  #values: Float64Array = new Float64Array(0);
  #oldest = false;

  constructor(core: Core) {
    this.#core = core;
  }
  refresh(): this {
    this.#core.exports.fillView();
    this.#values = this.#core.doubles(this.#core.exports.viewAt, 24);
    this.#oldest = false;
    return this;
  }
  #at(i: number): number {
    return this.#values[i] ?? 0;
  }
  /** Counting the oldest transaction's buffers walks its list: done when first asked. */
  #ofOldest(i: number): number {
    if (!this.#oldest) {
      this.#core.exports.fillOldest();
      this.#oldest = true;
    }
    return this.#at(i);
  }
  get point(): DecisionPoint {
    return this.#at(0) as DecisionPoint;
  }
  get timeNs(): number {
    return this.#at(1);
  }
  get journalBlocks(): number {
    return this.#at(2);
  }
  get maxTransaction(): number {
    return this.#at(3);
  }
  get free(): number {
    return this.#at(4);
  }
  get spaceLeft(): number {
    return this.#at(5);
  }
  get runningBlocks(): number {
    return this.#at(6);
  }
  get runningAgeNs(): number {
    return this.#at(7);
  }
  get committing(): boolean {
    return this.#at(8) !== 0;
  }
  get checkpointTransactions(): number {
    return this.#at(9);
  }
  get checkpointBlocks(): number {
    return this.#at(10);
  }
  get oldestBlocks(): number {
    return this.#at(11);
  }
  get dirtyBuffers(): number {
    return this.#at(12);
  }
  get logFillRate(): number {
    return this.#at(13);
  }
  get commitDurationNs(): number {
    return this.#at(14);
  }
  get deviceQueue(): number {
    return this.#at(15);
  }
  get backgroundPending(): number {
    return this.#at(16);
  }
  get tailGain(): number {
    return this.#at(17);
  }
  get oldestRejoined(): number {
    return this.#ofOldest(18);
  }
  get oldestDirty(): number {
    return this.#ofOldest(19);
  }
  get oldestClean(): number {
    return this.#ofOldest(20);
  }
}

const MAX_DELAY_NS = 100e6;
const MAX_COUNT = 0x7fffffff;

function whole(what: string, value: number, min: number, max: number): number {
  if (Number.isFinite(value) && value >= min && value <= max) return Math.floor(value);
  throw new CoreError("policy", `${what}: expected a number from ${min} to ${max}, found ${value}`);
}

export class CoreAnswers implements PolicyAnswers {
  readonly #core: Core;
  constructor(core: Core) {
    this.#core = core;
  }
  dropClean(mode: "stop" | "skip", budget: number): void {
    if (mode !== "stop" && mode !== "skip") {
      throw new CoreError("policy", `dropClean: expected stop or skip, found ${String(mode)}`);
    }
    this.#core.exports.answerDropClean(mode === "skip", whole("dropClean", budget, 1, MAX_COUNT));
  }
  requestCommit(): void {
    this.#core.exports.answerRequestCommit();
  }
  writeHome(buffers: number): void {
    this.#core.exports.answerWriteHome(whole("writeHome", buffers, 1, MAX_COUNT));
  }
  checkpointOldest(whileBelow = MAX_COUNT): void {
    this.#core.exports.answerCheckpointOldest(whole("checkpointOldest", whileBelow, 1, MAX_COUNT));
  }
  moveTail(minFreed: number): void {
    this.#core.exports.answerMoveTail(whole("moveTail", minFreed, 0, MAX_COUNT));
  }
  armFreeBelow(blocks: number): void {
    this.#core.exports.answerArmFreeBelow(whole("armFreeBelow", blocks, 0, MAX_COUNT));
  }
  armTick(ns: number): void {
    this.#core.exports.answerArmTick(whole("armTick", ns, 1, 1e15));
  }
  delayHandles(ns: number): void {
    this.#core.exports.answerDelayHandles(whole("delayHandles", ns, 0, MAX_DELAY_NS));
  }
}
