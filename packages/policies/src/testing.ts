import type { PolicyAnswers, PolicyView } from "@jbdlab/core-wasm";
import { instantiate } from "./instantiate.js";
import { Point, type PointName } from "./points.js";
import type { PolicySpec } from "./spec.js";

/** What a fake view shows where a test says nothing: a 16 MiB journal, empty and idle. */
const IDLE: PolicyView = {
  point: Point.tick,
  timeNs: 0,
  journalBlocks: 4096,
  maxTransaction: 1024,
  free: 4096,
  spaceLeft: 4064,
  runningBlocks: 0,
  runningAgeNs: 0,
  committing: false,
  checkpointTransactions: 0,
  checkpointBlocks: 0,
  oldestBlocks: 0,
  oldestRejoined: 0,
  oldestDirty: 0,
  oldestClean: 0,
  dirtyBuffers: 0,
  logFillRate: 0,
  commitDurationNs: 0,
  deviceQueue: 0,
  backgroundPending: 0,
  tailGain: 0,
};

/** A view for unit tests. `spaceLeft` follows `free` unless it is given. */
export function fakeView(values: Partial<PolicyView> = {}): PolicyView {
  const view = { ...IDLE, ...values };
  return { ...view, spaceLeft: values.spaceLeft ?? Math.max(0, view.free - 32) };
}

/** Writes down what it is told: "armFreeBelow(2048)". */
export class RecordedAnswers implements PolicyAnswers {
  readonly #calls: string[] = [];

  /** The answers since the last call, in order. */
  take(): string[] {
    return this.#calls.splice(0);
  }

  dropClean(mode: "stop" | "skip", budget: number): void {
    this.#calls.push(`dropClean(${mode}, ${budget})`);
  }
  requestCommit(): void {
    this.#calls.push("requestCommit()");
  }
  writeHome(buffers: number): void {
    this.#calls.push(`writeHome(${buffers})`);
  }
  checkpointOldest(whileBelow?: number): void {
    this.#calls.push(`checkpointOldest(${whileBelow ?? ""})`);
  }
  moveTail(minFreed: number): void {
    this.#calls.push(`moveTail(${minFreed})`);
  }
  armFreeBelow(blocks: number): void {
    this.#calls.push(`armFreeBelow(${blocks})`);
  }
  armTick(ns: number): void {
    this.#calls.push(`armTick(${ns})`);
  }
  delayHandles(ns: number): void {
    this.#calls.push(`delayHandles(${ns})`);
  }
}

/** A policy under test, asked by hand. */
export interface Probe {
  /** The answers at the start of a run. */
  start(values?: Partial<PolicyView>): string[];
  /**
   * The answers at a decision point, as text. Like the core, it does not ask where the policy does
   * not want to be asked.
   */
  at(point: PointName, values?: Partial<PolicyView>): string[];
}

/** Throws PolicyError as instantiate, start and decide do. */
export function probe(spec: PolicySpec | string): Probe {
  const driver = instantiate(spec);
  const answers = new RecordedAnswers();
  return {
    start(values) {
      driver.start(fakeView(values), answers);
      return answers.take();
    },
    at(name, values) {
      if ((driver.decisionMask & Point[name]) !== 0) {
        driver.decide(fakeView({ ...values, point: Point[name] }), answers);
      }
      return answers.take();
    },
  };
}
