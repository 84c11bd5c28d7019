// CPUs: EEVDF as Linux 6.12 has it (kernel/sched/fair.c), all tasks of nice 0, one queue for all
// CPUs. A task is picked when its vruntime is not above the average (eligible) and its deadline is
// the earliest; it is safe from others while it is eligible and within the slice it was picked
// with. A burst of CPU time is never cut: switches happen at its end, as at the kernel's
// cond_resched().
import { cpus, quantum, tick } from "./config";
import { EV_CPU, EV_RUN, EV_WAKE, earliest, heapCount, now, push, setNow } from "./events";
import { QUEUES } from "./layout";
import { C_NONE } from "./stats";
import {
  Q_RUN, T, T_CLASS, T_DEADLINE, T_DELAY, T_EXEC, T_LAG, T_NEXT, T_PC, T_QUEUED, T_RESCHED,
  T_SLICE_END, T_STOLEN, T_TICK, T_VRUNTIME, T_WAIT0, dequeue, enqueue, queueHead, unlink,
} from "./task";

const RUNNING: usize = QUEUES + 4096; // one i32 per busy CPU
const DELAYED: usize = QUEUES + 8192; // sleeping, but counted (DELAY_DEQUEUE)

export let idleCpus: i32 = 0;
let busyCpus: i32 = 0;
let queuedCount: i32 = 0;
let queuedSum: i64 = 0; // of vruntimes in the run queue
let delayedCount: i32 = 0;
let delayedSum: i64 = 0;
let base: i64 = 0; // average vruntime when nothing was runnable any more

export function resetCpus(): void {
  idleCpus = cpus;
  busyCpus = 0;
  queuedCount = 0;
  queuedSum = 0;
  delayedCount = 0;
  delayedSum = 0;
  base = 0;
}

@inline function running(i: i32): i32 {
  return load<i32>(RUNNING + ((<usize>i) << 2));
}
@inline function vruntime(t: i32): i64 {
  return load<i64>(T(t), T_VRUNTIME);
}
/** update_curr */
function charge(t: i32): void {
  store<i64>(T(t), vruntime(t) + now - load<i64>(T(t), T_EXEC), T_VRUNTIME);
  store<i64>(T(t), now, T_EXEC);
}
/** update_deadline: true when the slice is used up. */
function sliceOver(t: i32): bool {
  if (vruntime(t) < load<i64>(T(t), T_DEADLINE)) return false;
  store<i64>(T(t), vruntime(t) + quantum, T_DEADLINE);
  return true;
}
/**
 * entity_tick of a running task that nobody waits beside since it was last charged: at a tick that
 * finds its slice used up it gets a new deadline, and nobody to be preempted by.
 */
function renewAtTicks(t: i32): void {
  const charged = load<i64>(T(t), T_EXEC);
  const over = charged + max(<i64>0, load<i64>(T(t), T_DEADLINE) - vruntime(t));
  const first = ((over + tick - 1) / tick) * tick;
  if (first > now) return;
  const period = ((max(quantum, 1) + tick - 1) / tick) * tick;
  const last = now - ((now - first) % period);
  store<i64>(T(t), vruntime(t) + (last - charged) + quantum, T_DEADLINE);
}
/** avg_vruntime; running tasks count as of their last charge. */
function average(): i64 {
  const n = queuedCount + delayedCount + busyCpus;
  if (n == 0) return base;
  let sum = queuedSum + delayedSum;
  for (let i = 0; i < busyCpus; i++) sum += vruntime(running(i));
  return sum / <i64>n;
}
/** pick_eevdf: `curr` (-1 = none) or a queued task. */
function pick(curr: i32): i32 {
  const limit = average();
  let best = -1;
  if (curr >= 0 && vruntime(curr) <= limit) {
    if (load<i64>(T(curr), T_SLICE_END) == load<i64>(T(curr), T_DEADLINE)) return curr;
    best = curr;
  }
  let first = -1; // for the case that rounding leaves nobody eligible
  let t = queueHead(Q_RUN);
  while (t >= 0) {
    if (first < 0 || vruntime(t) < vruntime(first)) first = t;
    if (vruntime(t) <= limit) {
      const sooner = best < 0 ? -1 : load<i64>(T(t), T_DEADLINE) - load<i64>(T(best), T_DEADLINE);
      if (sooner < 0 || (sooner == 0 && best == curr)) best = t;
    }
    t = load<i32>(T(t), T_NEXT) - 1;
  }
  if (best >= 0) return best;
  return curr >= 0 && (first < 0 || vruntime(curr) <= vruntime(first)) ? curr : first;
}

/** place_entity: where a waking task stands among the others. */
function place(t: i32, lag: i64): void {
  const others = <i64>(queuedCount + delayedCount + busyCpus);
  const mean = average();
  const at = others == 0 ? mean : mean - (lag * (others + 1)) / others;
  store<i64>(T(t), at, T_VRUNTIME);
  store<i64>(T(t), at + quantum, T_DEADLINE);
}

// ---- DELAY_DEQUEUE: a task that sleeps while it is ahead of the average stays in it until the
// others have caught up (then its lag is zero) or it wakes
function delay(t: i32): void {
  store<i32>(DELAYED + ((<usize>delayedCount) << 2), t);
  delayedCount++;
  delayedSum += vruntime(t);
  store<i32>(T(t), 1, T_DELAY);
  store<i64>(T(t), now, T_TICK);
}
function undelay(i: i32): void {
  const t = load<i32>(DELAYED + ((<usize>i) << 2));
  delayedCount--;
  delayedSum -= vruntime(t);
  store<i32>(DELAYED + ((<usize>i) << 2), load<i32>(DELAYED + ((<usize>delayedCount) << 2)));
  store<i32>(T(t), 0, T_DELAY);
  store<i64>(T(t), 0, T_LAG);
}
/** Those the others caught up with leave at the next tick. */
function undelayCaughtUp(): void {
  let i = 0;
  while (i < delayedCount) {
    const t = load<i32>(DELAYED + ((<usize>i) << 2));
    const ticked = now / tick != load<i64>(T(t), T_TICK) / tick;
    if (ticked && vruntime(t) <= average()) {
      undelay(i);
      i = 0; // the average moved
    } else {
      i++;
    }
  }
}
/** requeue_delayed_entity */
function wakeDelayed(t: i32): void {
  const lag = average() - vruntime(t);
  let i = 0;
  while (load<i32>(DELAYED + ((<usize>i) << 2)) != t) i++;
  undelay(i);
  if (lag > 0) place(t, 0);
}
function enqueueTask(t: i32): void {
  queuedCount++;
  queuedSum += vruntime(t);
  enqueue(Q_RUN, t);
}
function dispatch(t: i32): void {
  store<i32>(RUNNING + ((<usize>busyCpus) << 2), t);
  busyCpus++;
  store<i64>(T(t), load<i64>(T(t), T_DEADLINE), T_SLICE_END);
  store<i64>(T(t), now, T_EXEC);
  store<i64>(T(t), now, T_TICK);
  store<i32>(T(t), 0, T_RESCHED);
  push(now, EV_RUN, t);
}
function dispatchQueued(t: i32): void {
  unlink(Q_RUN, t);
  queuedCount--;
  queuedSum -= vruntime(t);
  dispatch(t);
}
function leaveCpu(t: i32): void {
  busyCpus--;
  for (let i = 0; i < busyCpus; i++) {
    if (running(i) != t) continue;
    store<i32>(RUNNING + ((<usize>i) << 2), running(busyCpus));
    return;
  }
}

/** Makes a blocked task runnable; it may preempt the running task that is furthest ahead. */
export function wake(t: i32): void {
  const alone = queuedCount == 0;
  for (let i = 0; alone && i < busyCpus; i++) {
    renewAtTicks(running(i));
    store<i64>(T(running(i)), now, T_TICK);
  }
  // update_curr: a slice that ends while nobody else is on the queue is renewed in peace.
  const inPeace = alone && delayedCount == 0;
  // The kernel requeues a delayed task before it charges the running one, a plain one after.
  const delayed = load<i32>(T(t), T_DELAY) != 0;
  const stale = delayed && now / tick == load<i64>(T(t), T_TICK) / tick;
  if (stale) wakeDelayed(t);
  const victim = chargeAll();
  if (delayedCount > 0) undelayCaughtUp();
  if (delayed && !stale && load<i32>(T(t), T_DELAY) != 0) wakeDelayed(t);
  else if (!stale) place(t, load<i64>(T(t), T_LAG));
  if (idleCpus > 0) {
    idleCpus--;
    dispatch(t);
    return;
  }
  const over = sliceOver(victim);
  enqueueTask(t);
  if ((over && !inPeace) || pick(victim) == t) store<i32>(T(victim), 1, T_RESCHED);
}
/** Charges all running tasks; returns the one with the largest vruntime, -1 when none runs. */
function chargeAll(): i32 {
  let most = -1;
  for (let i = 0; i < busyCpus; i++) {
    const t = running(i);
    charge(t);
    if (most < 0 || vruntime(t) > vruntime(most)) most = t;
  }
  return most;
}
export function wakeAll(q: i32): void {
  let t = dequeue(q);
  while (t >= 0) {
    wake(t);
    t = dequeue(q);
  }
}
/** The running task waits; `cls` is where the time until it runs again is counted. Returns 0. */
export function block(t: i32, cls: i32): i32 {
  store<i32>(T(t), cls, T_CLASS);
  store<i64>(T(t), now, T_WAIT0);
  store<i64>(T(t), -1, T_QUEUED);
  chargeAll();
  const lag = average() - vruntime(t);
  const alone = queuedCount + delayedCount + busyCpus == 1;
  leaveCpu(t);
  const limit = max(2 * quantum, tick);
  // A real task has always run for a moment since it was placed at the average.
  if (lag <= 0 && !alone) delay(t);
  else store<i64>(T(t), min(lag, limit), T_LAG);
  if (queuedCount > 0) {
    dispatchQueued(pick(-1));
    return 0;
  }
  idleCpus++;
  if (busyCpus == 0) {
    // Nobody runs: the delayed are picked and dequeued one after the other.
    base = vruntime(t);
    while (delayedCount > 0) undelay(0);
  }
  return 0;
}
export function blockOn(t: i32, q: i32, cls: i32): i32 {
  enqueue(q, t);
  return block(t, cls);
}
export function sleep(t: i32, ns: i64, cls: i32): i32 {
  push(now + ns, EV_WAKE, t);
  return block(t, cls);
}

/** Uses the CPU for `ns`, then goes on at `pc`: at once (1) when nothing can happen before that. */
@inline export function burst(t: i32, ns: i64, pc: i32): i32 {
  store<i32>(T(t), pc, T_PC);
  if (ns <= 0) return 1;
  const end = now + ns;
  const quiet = load<i32>(QUEUES) == 0 && load<i32>(T(t), T_STOLEN) == 0;
  if (quiet && (heapCount == 0 || end < earliest())) {
    setNow(end);
    return 1;
  }
  push(end, EV_CPU, t);
  return 0;
}
/** An interrupt prolongs the burst of the task it finds running; with an idle CPU nobody's. */
export function interrupt(ns: i64): void {
  if (idleCpus > 0 || ns <= 0) return;
  const p = T(running(0)) + T_STOLEN;
  store<i32>(p, load<i32>(p) + <i32>ns);
}
/** TIF_NEED_RESCHED of the running task t. */
@inline export function needResched(t: i32): bool {
  return load<i32>(T(t), T_RESCHED) != 0;
}
/** A burst ended: false when the task has to hand its CPU to another. */
export function keepsCpu(t: i32): bool {
  const stolen = load<i32>(T(t), T_STOLEN);
  if (stolen > 0) {
    store<i32>(T(t), 0, T_STOLEN);
    push(now + stolen, EV_CPU, t);
    return false;
  }
  if (queuedCount == 0) return true;
  let resched = load<i32>(T(t), T_RESCHED) != 0;
  if (resched || now / tick != load<i64>(T(t), T_TICK) / tick) {
    store<i64>(T(t), now, T_TICK);
    chargeAll();
    if (sliceOver(t)) resched = true;
  }
  if (!resched) return true;
  store<i32>(T(t), 0, T_RESCHED);
  const next = pick(t);
  // put_prev_set_next_task: who is picked again is not protected for its new slice.
  if (next == t) return true;
  store<i32>(T(t), C_NONE, T_CLASS);
  store<i64>(T(t), now, T_QUEUED);
  leaveCpu(t);
  enqueueTask(t);
  dispatchQueued(next);
  return false;
}
