import {
  type Buffer,
  Kind,
  Note,
  type Request,
  type Steps,
  type Task,
  type Transaction,
} from "./state.js";
import type { World } from "./world.js";

/** Home writes of one task: adjacent blocks join one request until the plug is sent. */
export class Plug {
  readonly #world: World;
  constructor(world: World) {
    this.#world = world;
  }

  /** True when the home write of b can join what is plugged. */
  takes(task: Task, b: Buffer): boolean {
    const { plug } = task;
    if (plug === undefined) return true;
    const { maxRequestBlocks } = this.#world.config.device;
    return plug.blocks < maxRequestBlocks && plug.lba + plug.blocks === b.block;
  }
  /** The home write of b begins: the buffer is locked until it is done. */
  add(task: Task, b: Buffer): void {
    const { pages, judge, device } = this.#world;
    task.plug ??= device.request(Kind.Home, b.block, 0);
    task.plug.blocks++;
    task.plug.buffers.push(b);
    pages.markClean(b);
    b.locked = true;
    pages.homeInFlight++;
    judge.homeSubmitted(b.block, b.version);
  }
  #take(task: Task): Request | undefined {
    const request = task.plug;
    task.plug = undefined;
    if (request !== undefined) {
      this.#world.clock.tell(Note.HomeWrite, request.lba, request.blocks);
    }
    return request;
  }
  /** Sends what is plugged; the task sleeps when all tags are taken. */
  *send(task: Task, waitClass: Task["waitClass"]): Steps {
    const request = this.#take(task);
    if (request !== undefined) yield* this.#world.device.submit(task, request, waitClass);
  }

  /**
   * Sends up to `limit` dirty buffers that no transaction holds, oldest transactions first; the
   * task sleeps when all tags are taken. Each request is `begun` by the worker.
   */
  *sendOldest(task: Task, limit: number, begun: (request: Request) => void): Steps {
    const { scheduler, config, counters } = this.#world;
    let last: { b: Buffer; home: Transaction } | undefined;
    for (let left = limit; left > 0; left--) {
      // The lists may change while the task sleeps or another has the CPU.
      let next = this.#nextHome(last);
      while (next !== undefined && !this.takes(task, next.b)) {
        yield* this.send(task, undefined);
        next = this.#nextHome(last);
      }
      if (next === undefined) break;
      const fresh = task.plug === undefined;
      this.add(task, next.b);
      if (fresh && task.plug !== undefined) begun(task.plug);
      last = next;
      counters.homeWrites.policy++;
      yield* scheduler.burst(task, config.cpu.checkpointWriteNs);
    }
    yield* this.send(task, undefined);
  }
  /** From `last` on while it is on its list, else from the oldest. */
  #nextHome(last?: { b: Buffer; home: Transaction }): { b: Buffer; home: Transaction } | undefined {
    const { checkpoints } = this.#world.journal;
    let passed = last === undefined || last.b.checkpoint !== last.home;
    for (const home of checkpoints) {
      for (const b of home.checkpoint) {
        passed ||= b === last?.b;
        if (passed && b.dirty && !b.locked && b.transaction === undefined) return { b, home };
      }
    }
    return undefined;
  }
}
