// The policy's side of the core: decision points, the view, and the answers as commands. A policy
// owns no mechanism: what it answers is carried out by kjournald or the background worker under
// jbd2's own rules.
import { dirtyBuffers } from "./buffer";
import { countOldest, oldestClean, oldestDirty, oldestRejoined } from "./cleanup";
import { decisions, journalBlocks, maxTransaction } from "./config";
import { block, wake } from "./cpu";
import { inFlight, queued } from "./device";
import { EV_TICK, now, push } from "./events";
import {
  X, X_BUFFERS, X_CP_COUNT, X_START, committing, cpBuffers, cpCount, cpFirst, fillRate, free,
  lastCommit, requestCommit, running, spaceLeft, tail, tidOf,
} from "./journal";
import { COMMANDS, ERR_COMMANDS, MAX_COMMANDS, VIEW, fail } from "./layout";
import { C_NONE, REASON_POLICY } from "./stats";
import { getLogTail, logTailPos } from "./tail";
import { T, T_ASKED, worker } from "./task";

export const POINT_COMMIT_STARTING: i32 = 1;
export const POINT_COMMIT_FINISHED: i32 = 2;
export const POINT_HOME_COMPLETED: i32 = 4;
export const POINT_FREE_BELOW: i32 = 8;
export const POINT_TICK: i32 = 16;
export const POINT_MEMORY: i32 = 32;

export const CMD_WRITE_HOME: i32 = 1;
export const CMD_CHECKPOINT: i32 = 2;
export const CMD_MOVE_TAIL: i32 = 3;
export const CMD_DROP_STOP: i32 = 4;
export const CMD_DROP_SKIP: i32 = 5;

/** The decision point the host has to answer before the run goes on; 0 = none. */
export let point: i32 = 0;
/** The task that stands at the point, -1 = none (it happened in an event). */
export let pointTask: i32 = -1;
export let freeThreshold: i32 = 0;
export let policyDelay: i64 = 0;
/**
 * What kjournald does next for the policy: drop mode (0 none, 1 stop, 2 skip), its budget, minimum
 * to move (-1 none).
 */
export let dropMode: i32 = 0;
export let dropBudget: i32 = 0;
export let moveMinimum: i32 = -1;
let commandHead: i32 = 0;
let commandCount: i32 = 0;
let workerBusy: i32 = 0;
let workerIdle: bool = true;
let tickAt: i64 = -1;
let homeCompleted: i32 = 0;

export function resetPolicy(): void {
  point = 0;
  pointTask = -1;
  freeThreshold = 0;
  policyDelay = 0;
  dropMode = 0;
  dropBudget = 0;
  moveMinimum = -1;
  commandHead = 0;
  commandCount = 0;
  workerBusy = 0;
  workerIdle = true;
  tickAt = -1;
  homeCompleted = 0;
}

// ---- decision points
/**
 * True when the policy wants to be asked at `p`; then the run stops with task t (or -1) standing
 * there.
 */
export function ask(p: i32, t: i32): bool {
  if ((decisions & p) == 0) return false;
  point = p;
  pointTask = t;
  return true;
}
export function answered(): void {
  point = 0;
  pointTask = -1;
}
/**
 * A handle starts with less space than armed: asked once, and again when armed again and no
 * command waits.
 */
export function policyFires(t: i32): bool {
  if (commandCount > 0 || !ask(POINT_FREE_BELOW, t)) return false;
  freeThreshold = 0;
  store<i32>(T(t), 1, T_ASKED);
  return true;
}
/**
 * Home writes completed; the policy hears of them in batches of 64, or when none is left in
 * flight.
 */
export function homeWritesDone(n: i32, left: i32): void {
  if ((decisions & POINT_HOME_COMPLETED) == 0) return;
  homeCompleted += n;
  if (homeCompleted < 64 && left > 0) return;
  homeCompleted = 0;
  ask(POINT_HOME_COMPLETED, -1);
}
export function policyTick(): void {
  if (tickAt != now) return; // armed anew since
  tickAt = -1;
  ask(POINT_TICK, -1);
}

// ---- the view, f64s at VIEW in the order of wasm.ts
@inline function view(i: i32, v: f64): void {
  store<f64>(VIEW + ((<usize>i) << 3), v);
}
export function fillView(): void {
  view(0, point);
  view(1, <f64>now);
  view(2, journalBlocks);
  view(3, maxTransaction);
  view(4, free);
  const space = spaceLeft();
  view(5, space > 0 ? space : 0);
  view(6, running != 0 ? load<i32>(X(running), X_BUFFERS) : 0);
  view(7, running != 0 ? <f64>(now - load<i64>(X(running), X_START)) : 0);
  view(8, committing != 0 ? 1 : 0);
  view(9, cpCount);
  view(10, cpBuffers);
  view(11, cpFirst != 0 ? load<i32>(X(cpFirst), X_CP_COUNT) : 0);
  view(12, dirtyBuffers);
  view(13, fillRate);
  view(14, <f64>lastCommit);
  view(15, inFlight + queued);
  view(16, commandCount + workerBusy);
  view(17, tailGain());
}
/** Counts the oldest transaction's buffers: a walk of its list, so only when the policy looks. */
export function fillOldest(): void {
  countOldest();
  view(18, oldestRejoined);
  view(19, oldestDirty);
  view(20, oldestClean);
}
export function tailGain(): i32 {
  return getLogTail() ? <i32>(logTailPos - tail) : 0;
}

// ---- answers
function command(kind: i32, arg: i32): void {
  if (commandCount >= MAX_COMMANDS) {
    fail(ERR_COMMANDS, commandCount);
    return;
  }
  const p = COMMANDS + ((<usize>((commandHead + commandCount) & (MAX_COMMANDS - 1))) << 4);
  store<i32>(p, kind);
  store<i32>(p, arg, 4);
  commandCount++;
  if (!workerIdle) return;
  workerIdle = false;
  wake(worker);
}
@inline function inCommit(): bool {
  return point == POINT_COMMIT_STARTING || point == POINT_COMMIT_FINISHED;
}
export function answerDropClean(skip: bool, budget: i32): void {
  if (inCommit()) {
    dropMode = skip ? 2 : 1;
    dropBudget = budget;
  } else {
    command(skip ? CMD_DROP_SKIP : CMD_DROP_STOP, budget);
  }
}
export function answerRequestCommit(): void {
  if (running != 0) requestCommit(tidOf(running), REASON_POLICY);
}
export function answerWriteHome(buffers: i32): void {
  command(CMD_WRITE_HOME, buffers);
}
export function answerCheckpointOldest(whileBelow: i32): void {
  command(CMD_CHECKPOINT, whileBelow);
}
export function answerMoveTail(minFreed: i32): void {
  if (point == POINT_COMMIT_FINISHED) moveMinimum = minFreed;
  else command(CMD_MOVE_TAIL, minFreed);
}
export function answerArmFreeBelow(blocks: i32): void {
  freeThreshold = blocks;
}
export function answerArmTick(ns: f64): void {
  tickAt = now + <i64>ns;
  push(tickAt, EV_TICK, 0);
}
export function answerDelayHandles(ns: f64): void {
  policyDelay = <i64>ns;
}

// ---- what kjournald and the worker take
export function takeDrop(): i32 {
  const mode = dropMode;
  dropMode = 0;
  return mode;
}
export function takeMove(): i32 {
  const minimum = moveMinimum;
  moveMinimum = -1;
  return minimum;
}
export let commandArg: i32 = 0;
/** The worker's next command kind, 0 = none; its argument is in commandArg. */
export function takeCommand(): i32 {
  workerBusy = 0;
  if (commandCount == 0) return 0;
  const p = COMMANDS + ((<usize>commandHead) << 4);
  commandHead = (commandHead + 1) & (MAX_COMMANDS - 1);
  commandCount--;
  workerBusy = 1;
  commandArg = load<i32>(p, 4);
  return load<i32>(p);
}
export function idleWorker(t: i32): i32 {
  workerIdle = true;
  return block(t, C_NONE);
}
