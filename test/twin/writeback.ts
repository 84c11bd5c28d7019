// Writeback: the flusher with the handles that allocate delayed data, sync's passes, the shrinker.
import { DecisionPoint } from "@jbdlab/core-wasm";
import { shrinkLists } from "./cleanup.js";
import { runHandle } from "./handles.js";
import { type Inode, Kind, type Request, type Steps, type Task, TwinError } from "./state.js";
import type { World } from "./world.js";

/** Wake-ups without any progress after which nothing will ever happen again. */
const QUIET_WAKES = 10_000;

/** What the flusher is at: expired pages, down to the background limit, sync's two passes. */
type Round = "old" | "background" | "data" | "metadata";

export class Flusher {
  readonly waitData: Task[] = [];
  readonly waitMetadata: Task[] = [];
  dataInFlight = 0;
  #round: Round = "old";
  #due = false;
  #armed = false;
  #draining = false;
  #bdevDone = false;
  /** When expired pages were looked for last. */
  #lastOldNs: number;
  #quiet = 0;
  #progress = 0;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
    this.#lastOldNs = -world.config.dirtyWritebackNs;
  }

  /** wb_wakeup_delayed: one timer. */
  arm(ns: number): void {
    if (this.#armed) return;
    this.#armed = true;
    const { clock, counters, pages } = this.#world;
    clock.at(clock.now + ns, () => {
      this.#armed = false;
      this.#due = true;
      const progress = counters.handles + counters.loggedBlocks;
      this.#quiet = progress === this.#progress ? this.#quiet + 1 : 0;
      this.#progress = progress;
      if (this.#quiet > QUIET_WAKES) throw new TwinError("stuck", "no progress");
      pages.wakeFlusher();
    });
  }

  *main(task: Task): Steps {
    const { clock, config, pages, limits, scheduler } = this.#world;
    for (;;) {
      this.#bdevDone = false;
      if (this.waitData.length > 0) {
        this.#round = "data";
      } else if (this.waitMetadata.length > 0) {
        this.#round = "metadata";
      } else if (pages.dirty > limits.backgroundPages) {
        this.#round = "background";
      } else if (this.#due && clock.now >= this.#lastOldNs + config.dirtyWritebackNs) {
        this.#round = "old";
        this.#lastOldNs = clock.now;
      } else {
        this.arm(config.dirtyWritebackNs);
        this.#due = false;
        pages.flusherIdle = true;
        scheduler.block(task, undefined);
        yield;
        continue;
      }
      this.#due = false;
      yield* this.#writeRound(task);
    }
  }

  /** The oldest dirty thing first: an inode's data or, in its turn and once, the block device. */
  *#writeRound(task: Task): Steps {
    // Who comes later has to wait for a round of its own.
    const served = this.#queueOf(this.#round)?.splice(0) ?? [];
    const { clock, config, pages, inodes, limits } = this.#world;
    const round = this.#round;
    let cutoffNs = clock.now;
    while (round !== "background" || pages.dirty > limits.backgroundPages) {
      if (round === "old") cutoffNs = clock.now - config.dirtyExpireNs;
      const oldest = round === "metadata" ? undefined : inodes.oldestDirty;
      const inode = oldest !== undefined && oldest.whenNs <= cutoffNs ? oldest : undefined;
      const since = pages.bdevSinceNs;
      const bdev = round !== "data" && !this.#bdevDone && since >= 0 && since <= cutoffNs;
      if (bdev && since <= (inode?.whenNs ?? since)) {
        yield* this.#passBdev(task);
      } else if (inode !== undefined) {
        const request = yield* writeInode(this.#world, task, inode);
        yield* this.#world.device.submit(task, request, undefined);
      } else {
        break;
      }
    }
    if (round === "data" || round === "metadata") yield* this.#drain(task, served);
  }

  *#passBdev(task: Task): Steps {
    const { pages, plug, counters, config, scheduler } = this.#world;
    let done = 0;
    pages.beginPass();
    for (let b = pages.nextOfPass; b !== undefined; b = pages.nextOfPass) {
      const write = b.dirty && !b.locked && b.transaction === undefined;
      if (write && !plug.takes(task, b)) {
        // While the task slept for a tag another page may have come first.
        yield* plug.send(task, undefined);
        continue;
      }
      const clean = !b.locked;
      if (write) {
        plug.add(task, b);
        counters.homeWrites.flusher++;
      }
      if (clean) done++;
      pages.passed(b, clean);
      yield* scheduler.burst(task, config.cpu.flusherPageNs);
    }
    pages.endPass();
    // wb_writeback goes on as long as a turn made progress: the device may have its turn again.
    this.#bdevDone = done === 0;
    yield* plug.send(task, undefined);
  }

  /** sync waits for what it had written. */
  *#drain(task: Task, served: Task[]): Steps {
    const { scheduler } = this.#world;
    while (this.#busy) {
      this.#draining = true;
      scheduler.block(task, undefined);
      yield;
    }
    scheduler.wakeAll(served);
  }
  #queueOf(round: Round): Task[] | undefined {
    if (round === "data") return this.waitData;
    return round === "metadata" ? this.waitMetadata : undefined;
  }
  get #busy(): boolean {
    if (this.dataInFlight > 0) return true;
    return this.#round === "metadata" && this.#world.pages.homeInFlight > 0;
  }
  /** A request of data or of home writes is done. */
  requestDone(): void {
    if (!this.#draining || this.#busy) return;
    this.#draining = false;
    this.#world.scheduler.wake(this.#world.flusher);
  }
}

/** The data of one inode: the handle that allocates it, then the request, not yet submitted. */
export function* writeInode(w: World, task: Task, inode: Inode): Steps<Request> {
  const { credits, cpuNs, number, touches } = inode;
  const pages = w.inodes.take(inode);
  const plan = { credits, cpuNs, inode: number, flags: 0, touches, writesData: true };
  const transaction = yield* runHandle(w, task, plan);
  const request = w.device.request(Kind.Data, inode.dataBlock, pages);
  request.inode = inode;
  request.transaction = transaction;
  w.counters.dataWrites += pages;
  w.flushing.dataInFlight++;
  return request;
}

/** Memory pressure: kswapd calls the shrinker; a tick that finds it at work is lost. */
export class Shrinker {
  idle = true;
  readonly #world: World;
  constructor(world: World) {
    this.#world = world;
  }
  arm(): void {
    const { clock, config, scheduler, policy } = this.#world;
    if (config.shrinkIntervalNs <= 0) return;
    clock.at(clock.now + config.shrinkIntervalNs, () => {
      this.arm();
      if (this.idle) {
        this.idle = false;
        scheduler.wake(this.#world.kswapd);
      }
      policy.askLater(DecisionPoint.MemoryPressure);
    });
  }
  *main(task: Task): Steps {
    const { config, scheduler } = this.#world;
    for (;;) {
      const looked = shrinkLists(this.#world, task, config.shrinkScan);
      yield* scheduler.burst(task, config.cpu.scanBufferNs * looked);
      this.idle = true;
      scheduler.block(task, undefined);
      yield;
    }
  }
}
