// The policy's side: decision points, its view, its answers; the background worker and what
// kjournald does for it at a commit's end.
import {
  DecisionPoint,
  type PolicyAnswers,
  type PolicyDriver,
  type PolicyView,
} from "@jbdlab/core-wasm";
import { logDoCheckpoint } from "./checkpoint.js";
import { cleanLists } from "./cleanup.js";
import type { Request, Steps, Task } from "./state.js";
import type { World } from "./world.js";

type Command =
  | { readonly kind: "drop"; readonly skip: boolean; readonly budget: number }
  | { readonly kind: "writeHome"; readonly buffers: number }
  | { readonly kind: "checkpoint"; readonly whileBelow: number }
  | { readonly kind: "moveTail"; readonly minimum: number };

/** The policy hears of completed home writes in batches of this many. */
const HOME_BATCH = 64;

export class Policy {
  delayNs = 0;
  /** What kjournald does next. */
  drop: { skip: boolean; budget: number } | undefined;
  moveMinimum: number | undefined;
  readonly commands: Command[] = [];
  workerIdle = true;
  workerBusy = false;
  #threshold = 0;
  #tickNs = -1;
  #homeWritten = 0;
  #later: DecisionPoint | undefined;
  #point: DecisionPoint | 0 = 0;
  readonly #world: World;
  readonly #driver: PolicyDriver | undefined;

  constructor(world: World, driver: PolicyDriver | undefined) {
    this.#world = world;
    this.#driver = driver;
  }

  start(): void {
    this.#driver?.start(this.#view(), this.#answers);
  }
  /** Asks now, when the policy wants to hear of this point; true when it was asked. */
  ask(point: DecisionPoint): boolean {
    if ((this.#world.config.decisionMask & point) === 0) return false;
    this.#point = point;
    this.#driver?.decide(this.#view(), this.#answers);
    this.#point = 0;
    return true;
  }
  /** Asks after the event that is being worked on. */
  askLater(point: DecisionPoint): void {
    this.#later = point;
  }
  askWaiting(): void {
    const point = this.#later;
    this.#later = undefined;
    if (point !== undefined) this.ask(point);
  }
  /** A handle starts with this space left: true when the policy was asked. */
  firesBelow(spaceLeft: number): boolean {
    if (this.#threshold <= 0 || spaceLeft >= this.#threshold) return false;
    if (this.commands.length > 0) return false;
    if ((this.#world.config.decisionMask & DecisionPoint.FreeBelow) === 0) return false;
    this.#threshold = 0;
    return this.ask(DecisionPoint.FreeBelow);
  }
  homeWritesDone(buffers: number): void {
    if ((this.#world.config.decisionMask & DecisionPoint.HomeWriteCompleted) === 0) return;
    this.#homeWritten += buffers;
    if (this.#homeWritten < HOME_BATCH && this.#world.pages.homeInFlight > 0) return;
    this.#homeWritten = 0;
    this.askLater(DecisionPoint.HomeWriteCompleted);
  }

  #command(command: Command): void {
    this.commands.push(command);
    if (!this.workerIdle) return;
    this.workerIdle = false;
    this.#world.scheduler.wake(this.#world.worker);
  }
  readonly #answers: PolicyAnswers = {
    dropClean: (mode, budget) => {
      const drop = { skip: mode === "skip", budget: Math.floor(budget) };
      const inCommit =
        this.#point === DecisionPoint.CommitStarting ||
        this.#point === DecisionPoint.CommitFinished;
      if (inCommit) this.drop = drop;
      else this.#command({ kind: "drop", ...drop });
    },
    requestCommit: () => {
      const { journal } = this.#world;
      if (journal.running !== undefined) journal.requestCommit(journal.running.tid, "policy");
    },
    writeHome: (buffers) => this.#command({ kind: "writeHome", buffers: Math.floor(buffers) }),
    checkpointOldest: (whileBelow = Number.POSITIVE_INFINITY) =>
      this.#command({ kind: "checkpoint", whileBelow: Math.floor(whileBelow) }),
    moveTail: (minFreed) => {
      const minimum = Math.floor(minFreed);
      if (this.#point === DecisionPoint.CommitFinished) this.moveMinimum = minimum;
      else this.#command({ kind: "moveTail", minimum });
    },
    armFreeBelow: (blocks) => {
      this.#threshold = Math.floor(blocks);
    },
    armTick: (ns) => {
      const { clock } = this.#world;
      const at = clock.now + Math.floor(ns);
      this.#tickNs = at;
      clock.at(at, () => {
        if (this.#tickNs !== at) return; // armed anew since
        this.#tickNs = -1;
        this.askLater(DecisionPoint.Tick);
      });
    },
    delayHandles: (ns) => {
      this.delayNs = Math.floor(ns);
    },
  };

  #view(): PolicyView {
    const { journal, config, limits, clock, device, pages } = this.#world;
    const { running, committing, checkpoints } = journal;
    const oldest = [...(checkpoints[0]?.checkpoint ?? [])];
    const rejoined = oldest.filter((b) => b.transaction !== undefined).length;
    const clean = oldest.filter((b) => b.transaction === undefined && !b.dirty && !b.locked).length;
    return {
      point: this.#point as DecisionPoint,
      timeNs: clock.now,
      journalBlocks: config.journalBlocks,
      maxTransaction: limits.maxTransaction,
      free: journal.free,
      spaceLeft: Math.max(0, journal.spaceLeft),
      runningBlocks: running?.metadata.size ?? 0,
      runningAgeNs: running === undefined ? 0 : clock.now - running.startNs,
      committing: committing !== undefined,
      checkpointTransactions: checkpoints.length,
      checkpointBlocks: [...checkpoints, ...(committing === undefined ? [] : [committing])].reduce(
        (sum, x) => sum + x.checkpoint.size,
        0,
      ),
      oldestBlocks: oldest.length,
      oldestRejoined: rejoined,
      oldestDirty: oldest.length - rejoined - clean,
      oldestClean: clean,
      dirtyBuffers: pages.dirtyBuffers,
      logFillRate: journal.fillRate,
      commitDurationNs: journal.lastCommitNs,
      deviceQueue: device.inFlight + device.queued,
      backgroundPending: this.commands.length + (this.workerBusy ? 1 : 0),
      tailGain: journal.tailGain,
    };
  }
}

// ---- the background worker
export class Worker {
  #watched = 0;
  #waiting = false;
  readonly #world: World;
  constructor(world: World) {
    this.#world = world;
  }

  *main(task: Task): Steps {
    const { policy, scheduler } = this.#world;
    for (;;) {
      const command = policy.commands.shift();
      policy.workerBusy = command !== undefined;
      if (command === undefined) {
        policy.workerIdle = true;
        scheduler.block(task, undefined);
        yield;
      } else {
        yield* this.#carryOut(task, command);
      }
    }
  }
  *#carryOut(task: Task, command: Command): Steps {
    const { config, scheduler, counters, clock, journal } = this.#world;
    if (command.kind === "drop") {
      const looked = cleanLists(this.#world, task, command.skip, command.budget);
      yield* scheduler.burst(task, config.cpu.scanBufferNs * looked);
      return;
    }
    if (command.kind === "writeHome") {
      yield* this.#writeHome(task, command.buffers);
      return;
    }
    const from = clock.now;
    yield* journal.lock(task, undefined);
    if (command.kind === "moveTail") {
      if (canMove(this.#world, command.minimum)) yield* journal.cleanupTail(task);
      journal.unlock();
      return;
    }
    if (journal.spaceLeft >= command.whileBelow) {
      journal.unlock();
      return;
    }
    if (journal.checkpoints.length > 0) yield* logDoCheckpoint(this.#world, task);
    else yield* journal.cleanupTail(task);
    journal.unlock();
    counters.background.calls++;
    counters.background.ns += clock.now - from;
  }
  *#writeHome(task: Task, limit: number): Steps {
    const { scheduler, plug } = this.#world;
    yield* plug.sendOldest(task, limit, (request) => {
      request.watched = true;
      this.#watched++;
    });
    if (this.#watched === 0) return;
    this.#waiting = true;
    scheduler.block(task, undefined);
    yield;
  }
  /** A request that the worker sent is done. */
  done(request: Request): void {
    if (!request.watched) return;
    this.#watched--;
    if (this.#watched > 0 || !this.#waiting) return;
    this.#waiting = false;
    this.#world.scheduler.wake(this.#world.worker);
  }
}

function canMove(w: World, minimum: number): boolean {
  return w.journal.newTail() !== undefined && w.journal.tailGain >= minimum;
}

// ---- kjournald
/** Cleans as the policy asked for. */
export function* dropForPolicy(w: World, task: Task): Steps {
  const { drop } = w.policy;
  w.policy.drop = undefined;
  if (drop === undefined) return;
  const looked = cleanLists(w, task, drop.skip, drop.budget);
  yield* w.scheduler.burst(task, w.config.cpu.scanBufferNs * looked);
}
/** What follows a commit: home writes, then what the policy answers. */
export function* afterCommit(w: World, task: Task): Steps {
  const { journal, policy, config } = w;
  if (config.policy.writeHomeAtCommitEnd) {
    yield* w.plug.sendOldest(task, 2 ** 31 - 1, () => {});
  }
  policy.ask(DecisionPoint.CommitFinished);
  yield* dropForPolicy(w, task);
  const minimum = policy.moveMinimum;
  policy.moveMinimum = undefined;
  if (minimum === undefined || !canMove(w, minimum)) return;
  yield* journal.lock(task, undefined);
  if (canMove(w, minimum)) yield* journal.cleanupTail(task);
  journal.unlock();
}
