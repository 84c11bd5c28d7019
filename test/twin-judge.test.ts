import { describe, expect, it } from "vitest";
import { Clock } from "./twin/clock.js";
import { Judge, type JudgeMode } from "./twin/judge.js";
import { BASE } from "./twin/scenario-base.js";
import type { Buffer } from "./twin/state.js";

const block = (number: number, version: number) =>
  ({ block: number, version, frozen: false }) as Buffer;

/** The log of a small world, written by hand. */
class Log {
  readonly judge: Judge;
  #head = 1;
  constructor(mode: JudgeMode) {
    this.judge = new Judge(new Clock(), BASE, mode);
  }
  /** Writes a transaction with these blocks; its record is durable after a flush. */
  commit(tid: number, blocks: readonly number[], revoked: readonly number[] = []): number {
    const from = this.#head;
    this.write(tid, blocks);
    this.judge.flushed(this.judge.flushIssued());
    this.record(tid, from, revoked);
    return from;
  }
  write(tid: number, blocks: readonly number[]): void {
    const positions = [undefined, ...blocks].map((number) => {
      this.judge.logBlock(this.#head, tid, number === undefined ? number : block(number, tid));
      return this.#head++;
    });
    this.judge.logWritten(positions);
  }
  record(tid: number, from: number, revoked: readonly number[] = []): void {
    this.judge.logBlock(this.#head, tid);
    this.judge.recordDurable(tid, from, ++this.#head, revoked);
  }
  home(number: number, version: number): void {
    this.judge.homeSubmitted(number, version);
    this.judge.homeWritten(number);
  }
  moveTail(position: number, tid: number): void {
    this.judge.tailSubmitted(position, tid);
    this.judge.tailDurable();
  }
  get lost(): number[] {
    return this.judge.windows.filter(({ toNs }) => toNs < 0).map((window) => window.block);
  }
}

describe.each(["replay", "index"] as const)("the twin's judge (%s)", (mode) => {
  it("a block in the live log is safe", () => {
    const log = new Log(mode);
    log.commit(2, [10, 20]);
    expect(log.lost).toEqual([]);
  });

  it("a tail that passes a block loses it unless its home version is flushed", () => {
    const log = new Log(mode);
    log.commit(2, [10, 20, 30]);
    const next = log.commit(3, [40]);
    log.home(10, 2);
    log.judge.flushed(log.judge.flushIssued());
    log.home(20, 2);
    log.moveTail(next, 3);
    expect(log.lost).toEqual([20, 30]);
  });

  it("a loss ends when a later version of the block is durable", () => {
    const log = new Log(mode);
    log.commit(2, [10]);
    const next = log.commit(3, [20]);
    log.moveTail(next, 3);
    expect(log.lost).toEqual([10]);
    log.commit(4, [10]);
    expect(log.lost).toEqual([]);
    expect(log.judge.windows).toHaveLength(1);
  });

  it("the tail may be durable as soon as it was submitted", () => {
    const log = new Log(mode);
    log.commit(2, [10]);
    const next = log.commit(3, [20]);
    log.judge.tailSubmitted(next, 3);
    expect(log.lost).toEqual([10]);
  });

  it("a revoked block cannot be lost", () => {
    const log = new Log(mode);
    log.commit(2, [10]);
    const next = log.commit(3, [], [10]);
    log.moveTail(next, 3);
    expect(log.lost).toEqual([]);
  });

  it("a home write of a version whose commit is not durable violates write-ahead", () => {
    const log = new Log(mode);
    log.commit(2, [10]);
    log.home(10, 3);
    expect(log.judge.violation).toMatch(/home write of a version/);
  });

  it("a commit record before its log blocks violates write-ahead", () => {
    const log = new Log(mode);
    log.write(2, [10]);
    log.record(2, 1);
    expect(log.judge.violation).toMatch(/commit record durable before its log blocks/);
  });

  it("a log block that the durable tail still needs must not be written again", () => {
    const log = new Log(mode);
    for (let tid = 2; tid < 22; tid++) log.commit(tid, [tid]);
    expect(log.judge.violation).toBe("");
    log.commit(22, [22]);
    log.commit(23, [23]);
    expect(log.judge.violation).toMatch(/log block reused that the durable tail still needs/);
  });
});
