import { type Buffer, Kind, Note, type Request, type Steps, type Task } from "./state.js";
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
   * Sends up to `limit` dirty buffers that no transaction holds, oldest transactions first, without
   * waiting for tags. Returns the requests; with `watched` each reports back to the worker.
   */
  sendOldest(task: Task, limit: number, watched: boolean): { buffers: number; requests: number } {
    const sent = { buffers: 0, requests: 0 };
    const send = () => {
      const request = this.#take(task);
      if (request === undefined) return;
      request.watched = watched;
      sent.requests++;
      this.#world.device.submitQuiet(request);
    };
    for (const transaction of this.#world.journal.checkpoints) {
      for (const b of transaction.checkpoint) {
        if (sent.buffers >= limit) break;
        if (!b.dirty || b.locked || b.transaction !== undefined) continue;
        if (!this.takes(task, b)) send();
        this.add(task, b);
        sent.buffers++;
      }
      if (sent.buffers >= limit) break;
    }
    send();
    return sent;
  }
}
