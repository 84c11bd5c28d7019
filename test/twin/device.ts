import type { DeviceProfile } from "@jbdlab/core-wasm";
import type { Clock } from "./clock.js";
import type { Scheduler } from "./scheduler.js";
import { type Buffer, Kind, type Request, type Steps, type Task } from "./state.js";

/** Where things lie on a disk with seeks: a span of 256 GiB, the journal in its middle. */
const SPAN = 2 ** 26;
export const JOURNAL_LBA = 2 ** 25;

/** What the device tells the rest of the world. */
export interface DeviceEvents {
  flushIssued(): number;
  flushed(mark: number): void;
  completed(request: Request): void;
}

/** Tags, one serial pipe, an overlapping latency stage; for disks an elevator instead. */
export class Device {
  inFlight = 0;
  flushes = 0;
  readonly #clock: Clock;
  readonly #scheduler: Scheduler;
  readonly #profile: DeviceProfile;
  readonly #events: DeviceEvents;
  /** Requests without a tag. */
  readonly #line: Request[] = [];
  #pipeFreeNs = 0;
  /** When each place of the latency stage is free; they are taken in turn. */
  readonly #stage: number[];
  #turn = 0;
  /** Elevator only. */
  #pending: Request[] = [];
  #busy = false;
  #headLba = 0;
  #random: number;

  constructor(
    clock: Clock,
    scheduler: Scheduler,
    profile: DeviceProfile,
    seed: number,
    events: DeviceEvents,
  ) {
    this.#clock = clock;
    this.#scheduler = scheduler;
    this.#profile = profile;
    this.#events = events;
    this.#stage = new Array<number>(profile.parallelism).fill(0);
    this.#random = (Math.imul(seed, 2654435761) ^ 0x5bd1e995) >>> 0 || 1;
  }

  get queued(): number {
    return this.#line.length;
  }
  request(kind: Kind, lba: number, blocks: number, buffers: Buffer[] = []): Request {
    return {
      kind,
      lba,
      blocks,
      buffers,
      positions: [],
      transaction: undefined,
      inode: undefined,
      submitter: undefined,
      waiter: undefined,
      watched: false,
      preflushed: false,
      plain: false,
      mark: 0,
    };
  }

  /** Hands a request over; nobody waits for its tag. */
  submitQuiet(request: Request): void {
    if (this.inFlight < this.#profile.queueDepth && this.#line.length === 0) {
      this.inFlight++;
      this.#begin(request);
    } else {
      this.#line.push(request);
    }
  }
  /** Hands a request over; the task sleeps until it has a tag. */
  *submit(task: Task, request: Request, waitClass: Task["waitClass"]): Steps {
    request.submitter = task;
    this.submitQuiet(request);
    if (this.#line.at(-1) !== request) {
      request.submitter = undefined;
      return;
    }
    this.#scheduler.block(task, waitClass);
    yield;
  }
  /** Hands a request over and sleeps until it is done. */
  *wait(task: Task, request: Request, waitClass: Task["waitClass"]): Steps {
    request.waiter = task;
    this.submitQuiet(request);
    this.#scheduler.block(task, waitClass);
    yield;
  }

  #draw(): number {
    let x = this.#random;
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    this.#random = x >>> 0;
    return this.#random;
  }
  #jittered(ns: number): number {
    const permille = this.#profile.jitterPermille;
    if (permille === 0 || ns === 0) return ns;
    return Math.floor((ns * (1000 - permille + (this.#draw() % (2 * permille + 1)))) / 1000);
  }

  #isFlush(request: Request): boolean {
    return request.kind === Kind.Flush || (request.kind === Kind.Record && !request.preflushed);
  }
  #serviceNs(request: Request): number {
    const { nsPerBlock, flushNs, fuaNs, writeCache } = this.#profile;
    if (this.#isFlush(request)) return flushNs;
    const fua = !request.plain && (request.kind === Kind.Record || request.kind === Kind.Super);
    return nsPerBlock * request.blocks + (fua && writeCache ? fuaNs : 0);
  }

  #begin(request: Request): void {
    // Without a volatile cache the block layer drops the preflush.
    if (request.kind === Kind.Record && !this.#profile.writeCache) request.preflushed = true;
    if (this.#isFlush(request)) {
      request.mark = this.#events.flushIssued();
      this.flushes++;
    }
    if (this.#profile.seekMaxNs > 0) {
      this.#pending.push(request);
      if (!this.#busy) this.#pick();
      return;
    }
    const slot = this.#turn;
    this.#turn = (slot + 1) % this.#stage.length;
    const start = Math.max(this.#clock.now, this.#pipeFreeNs, this.#stage[slot] ?? 0);
    this.#pipeFreeNs = start + this.#jittered(this.#serviceNs(request));
    const done = this.#pipeFreeNs + this.#jittered(this.#profile.latencyNs);
    this.#stage[slot] = done;
    this.#clock.at(done, () => this.#done(request));
  }

  /** C-LOOK: the next block at or above the head, else the lowest; nothing passes a flush. */
  #pick(): void {
    const pending = this.#pending;
    const barrier = pending.findIndex((request) => this.#isFlush(request));
    const reachable = barrier < 0 ? pending : pending.slice(0, Math.max(barrier, 1));
    const ahead = (request: Request) => {
      const lba = request.lba % SPAN;
      return lba >= this.#headLba ? lba : lba + SPAN;
    };
    const best = reachable.reduce((a, b) => (ahead(b) < ahead(a) ? b : a));
    this.#pending = pending.filter((request) => request !== best);
    this.#busy = true;
    const ns = this.#jittered(this.#serviceNs(best) + this.#seekNs(best));
    this.#clock.at(this.#clock.now + ns, () => {
      this.#busy = false;
      if (this.#pending.length > 0) this.#pick();
    });
    const latency = this.#jittered(this.#profile.latencyNs);
    this.#clock.at(this.#clock.now + ns + latency, () => this.#done(best));
  }
  #seekNs(request: Request): number {
    if (this.#isFlush(request)) return 0;
    const { seekMinNs, seekMaxNs, rotationNs } = this.#profile;
    const lba = request.lba % SPAN;
    const distance = Math.abs(lba - this.#headLba);
    this.#headLba = (lba + request.blocks) % SPAN;
    if (distance === 0) return 0;
    const seek = seekMinNs + (seekMaxNs - seekMinNs) * Math.sqrt(distance / SPAN);
    return Math.floor(seek) + Math.floor(rotationNs / 2);
  }

  #done(request: Request): void {
    if (request.kind === Kind.Record && !request.preflushed) {
      this.#events.flushed(request.mark);
      request.preflushed = true;
      this.#begin(request);
      return;
    }
    this.#events.completed(request);
  }
  /** A request is done for good: its tag goes to the next in line. */
  releaseTag(): void {
    this.inFlight--;
    const next = this.#line.shift();
    if (next === undefined) return;
    this.inFlight++;
    this.#begin(next);
    if (next.submitter !== undefined) this.#scheduler.wake(next.submitter);
  }
}
