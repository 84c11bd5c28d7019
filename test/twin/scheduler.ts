import { STALL_CLASSES, type StallClass } from "@jbdlab/core-wasm";
import type { Clock } from "./clock.js";
import { Note, type Steps, type Task } from "./state.js";
import type { Counters } from "./stats.js";

/**
 * CPUs as EEVDF hands them out (kernel/sched/fair.c), all tasks of nice 0. A task is eligible while
 * its vruntime is not above the average of all; of the eligible the earliest deadline is picked,
 * and it is safe from the others while it is eligible and within its slice. Bursts are never cut.
 */
export class Scheduler {
  readonly #clock: Clock;
  readonly #counters: Counters;
  readonly #cpus: number;
  readonly #sliceNs: number;
  readonly #tickNs: number;
  #running: Task[] = [];
  #queue: Task[] = [];
  /** Sleep, but count in the average until the others have caught up (DELAY_DEQUEUE). */
  readonly #delayed: Task[] = [];
  /** The average when nobody was left. */
  #base = 0;
  /** Its waits are summed up apart. */
  flusher: Task | undefined;

  constructor(
    clock: Clock,
    counters: Counters,
    world: { readonly cpus: number; readonly quantumNs: number; readonly tickNs: number },
  ) {
    this.#clock = clock;
    this.#counters = counters;
    this.#cpus = world.cpus;
    this.#sliceNs = world.quantumNs;
    this.#tickNs = world.tickNs;
  }

  task(id: number, isThread: boolean, body: (task: Task) => Steps): Task {
    const task: Task = {
      id,
      isThread,
      steps: undefined as unknown as Steps,
      waitClass: undefined,
      waitFromNs: 0,
      preemptedNs: 0,
      handleWaitNs: 0,
      delayed: false,
      asked: false,
      plug: undefined,
      vruntime: 0,
      deadline: 0,
      sliceEnd: 0,
      chargedNs: 0,
      lookedNs: 0,
      lag: 0,
      stolenNs: 0,
      resched: false,
    };
    task.steps = body(task);
    return task;
  }

  // ---- EEVDF
  /** Charges all that run for their time; returns the one that is furthest ahead. */
  #charge(): Task | undefined {
    const { now } = this.#clock;
    let most: Task | undefined;
    for (const task of this.#running) {
      task.vruntime += now - task.chargedNs;
      task.chargedNs = now;
      if (most === undefined || task.vruntime > most.vruntime) most = task;
    }
    return most;
  }
  /** How many count in the average. */
  get #count(): number {
    return this.#running.length + this.#queue.length + this.#delayed.length;
  }
  get #average(): number {
    if (this.#count === 0) return this.#base;
    let sum = 0;
    for (const tasks of [this.#running, this.#queue, this.#delayed]) {
      for (const task of tasks) sum += task.vruntime;
    }
    return Math.trunc(sum / this.#count);
  }
  #ticked(task: Task): boolean {
    const tickOf = (ns: number) => Math.floor(ns / this.#tickNs);
    return tickOf(this.#clock.now) !== tickOf(task.lookedNs);
  }
  /** True when its slice is used up; then it gets a new deadline. */
  #sliceOver(task: Task): boolean {
    if (task.vruntime < task.deadline) return false;
    task.deadline = task.vruntime + this.#sliceNs;
    return true;
  }
  /** The ticks that found nobody waiting beside the running tasks: they renewed used up slices. */
  #catchUpTicks(): void {
    const { now } = this.#clock;
    for (const task of this.#running) {
      const step = Math.max(1, this.#sliceNs);
      const tickAfter = (ns: number) => Math.ceil(ns / this.#tickNs) * this.#tickNs;
      const usedUp = task.chargedNs + Math.max(0, task.deadline - task.vruntime);
      for (let at = tickAfter(usedUp); at <= now; at = tickAfter(at + step)) {
        task.deadline = task.vruntime + at - task.chargedNs + this.#sliceNs;
      }
      task.lookedNs = now;
    }
  }
  /** pick_eevdf: the running task `current` or one of the queue. */
  #pick(current: Task | undefined): Task | undefined {
    const average = this.#average;
    const eligible = (task: Task) => task.vruntime <= average;
    if (current !== undefined && eligible(current) && current.sliceEnd === current.deadline) {
      return current;
    }
    const running = current === undefined ? [] : [current];
    // With equal deadlines the running task has to go.
    const candidates = [...this.#queue, ...running].filter(eligible);
    const first = (tasks: readonly Task[], key: "deadline" | "vruntime") =>
      tasks.reduce<Task | undefined>(
        (a, b) => (a === undefined || b[key] < a[key] ? b : a),
        undefined,
      );
    // Rounding may leave nobody eligible.
    return first(candidates, "deadline") ?? first([...running, ...this.#queue], "vruntime");
  }
  /** place_entity: where a waking task stands among the others. */
  #place(task: Task, lag: number): void {
    const others = this.#count;
    const shift = others === 0 ? 0 : Math.trunc((lag * (others + 1)) / others);
    task.vruntime = this.#average - shift;
    task.deadline = task.vruntime + this.#sliceNs;
  }
  #undelay(task: Task): void {
    removeSwapping(this.#delayed, task);
    task.lag = 0;
  }
  #wakeDelayed(task: Task): void {
    const behind = this.#average - task.vruntime > 0;
    this.#undelay(task);
    if (behind) this.#place(task, 0);
  }
  /** Those that the others caught up with leave at the next tick; the average moves with each. */
  #releaseCaughtUp(): void {
    for (;;) {
      const average = this.#average;
      const task = this.#delayed.find((t) => this.#ticked(t) && t.vruntime <= average);
      if (task === undefined) return;
      this.#undelay(task);
    }
  }
  #dispatch(task: Task): void {
    this.#running.push(task);
    task.sliceEnd = task.deadline;
    task.chargedNs = this.#clock.now;
    task.lookedNs = this.#clock.now;
    task.resched = false;
    this.#clock.at(this.#clock.now, () => {
      this.#bookWait(task);
      task.steps.next();
    });
  }
  #dispatchQueued(task: Task): void {
    this.#queue = this.#queue.filter((queued) => queued !== task);
    this.#dispatch(task);
  }

  /** A task that waited can run again; the running task that is furthest ahead may have to go. */
  wake(task: Task): void {
    if (this.#queue.length === 0) this.#catchUpTicks();
    const quiet = this.#queue.length + this.#delayed.length === 0;
    // The kernel requeues a delayed task before it charges the running one, a plain one after.
    const early = this.#delayed.includes(task) && !this.#ticked(task);
    const late = this.#delayed.includes(task) && !early;
    if (early) this.#wakeDelayed(task);
    const ahead = this.#charge();
    this.#releaseCaughtUp();
    if (late && this.#delayed.includes(task)) this.#wakeDelayed(task);
    else if (!early) this.#place(task, task.lag);
    if (this.#running.length < this.#cpus || ahead === undefined) {
      this.#dispatch(task);
      return;
    }
    const over = this.#sliceOver(ahead);
    this.#queue.push(task);
    if ((over && !quiet) || this.#pick(ahead) === task) ahead.resched = true;
  }
  wakeAll(queue: Task[]): void {
    for (const task of queue.splice(0)) this.wake(task);
  }

  /** Gives up the CPU; the caller yields next. Until it runs again it waits in this class. */
  block(task: Task, waitClass: StallClass | undefined): void {
    const { now } = this.#clock;
    task.waitClass = waitClass;
    task.waitFromNs = now;
    task.preemptedNs = -1;
    if (waitClass !== undefined) {
      this.#clock.tell(Note.WaitBegins, STALL_CLASSES.indexOf(waitClass), task.id);
    }
    this.#charge();
    const lag = this.#average - task.vruntime;
    const alone = this.#count === 1;
    removeSwapping(this.#running, task);
    if (lag <= 0 && !alone) {
      this.#delayed.push(task);
      task.lookedNs = now;
    } else {
      task.lag = Math.min(lag, Math.max(2 * this.#sliceNs, this.#tickNs));
    }
    const next = this.#queue.length > 0 ? this.#pick(undefined) : undefined;
    if (next !== undefined) {
      this.#dispatchQueued(next);
    } else if (this.#running.length === 0) {
      this.#base = task.vruntime;
      while (this.#delayed[0] !== undefined) this.#undelay(this.#delayed[0]);
    }
  }
  *sleepOn(task: Task, queue: Task[], waitClass: StallClass | undefined): Steps {
    queue.push(task);
    this.block(task, waitClass);
    yield;
  }
  *sleepFor(task: Task, ns: number, waitClass: StallClass): Steps {
    this.#clock.at(this.#clock.now + ns, () => this.wake(task));
    this.block(task, waitClass);
    yield;
  }
  /** Uses the CPU for some time. No time at all is no burst: nobody else gets a turn. */
  *burst(task: Task, ns: number): Steps {
    if (ns <= 0) return;
    this.#clock.at(this.#clock.now + ns, () => this.#burstEnds(task));
    yield;
  }
  /** An interrupt takes time from the task it finds running, unless a CPU is idle. */
  interrupt(ns: number): void {
    const victim = this.#running[0];
    if (this.#running.length === this.#cpus && victim !== undefined) victim.stolenNs += ns;
  }
  #burstEnds(task: Task): void {
    const { now } = this.#clock;
    const { stolenNs } = task;
    if (stolenNs > 0) {
      task.stolenNs = 0;
      this.#clock.at(now + stolenNs, () => this.#burstEnds(task));
      return;
    }
    if (this.#queue.length > 0 && this.#hasToGo(task)) {
      task.waitClass = undefined;
      task.preemptedNs = now;
    } else {
      task.steps.next();
    }
  }
  /** cond_resched: true when another task got the CPU. */
  #hasToGo(task: Task): boolean {
    let { resched } = task;
    if (resched || this.#ticked(task)) {
      task.lookedNs = this.#clock.now;
      this.#charge();
      if (this.#sliceOver(task)) resched = true;
    }
    if (!resched) return false;
    task.resched = false;
    const next = this.#pick(task);
    if (next === task || next === undefined) return false;
    removeSwapping(this.#running, task);
    this.#queue.push(task);
    this.#dispatchQueued(next);
    return true;
  }

  #bookWait(task: Task): void {
    const { now } = this.#clock;
    if (task.preemptedNs >= 0) {
      if (task.isThread) this.#counters.runQueueNs += now - task.preemptedNs;
      task.preemptedNs = -1;
      return;
    }
    const { waitClass } = task;
    if (waitClass === undefined) return;
    task.waitClass = undefined;
    const waited = now - task.waitFromNs;
    if (task.isThread) {
      this.#counters.stallNs[waitClass] += waited;
      this.#counters.stallCounts[waitClass]++;
      task.handleWaitNs += waited;
      this.#clock.note(Note.Stall, STALL_CLASSES.indexOf(waitClass), task.id);
    } else if (task === this.flusher) {
      this.#counters.flusherStallNs += waited;
    }
  }
}

/** Takes a task out; the last one fills its place. */
function removeSwapping(tasks: Task[], task: Task): void {
  const last = tasks.pop();
  if (last !== undefined && last !== task) tasks[tasks.indexOf(task)] = last;
}
