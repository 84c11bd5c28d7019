// kjournald: jbd2_journal_commit_transaction (commit.c), phase by phase.
import { DecisionPoint } from "@jbdlab/core-wasm";
import { addToCheckpoint, cleanByRule, removeFromCheckpoint } from "./cleanup.js";
import { JOURNAL_LBA } from "./device.js";
import { fileForget, fileMetadata } from "./handles.js";
import type { Tail } from "./journal.js";
import { afterCommit, dropForPolicy } from "./policy.js";
import {
  type Buffer,
  Kind,
  Note,
  Phase,
  type Steps,
  type Task,
  type Transaction,
} from "./state.js";
import type { World } from "./world.js";

/** (4096 - header 16 - checksum tail 4) / 8 bytes with 64bit block numbers */
const REVOKES_PER_BLOCK = 509;

export function* kjournald(w: World, task: Task): Steps {
  const { journal } = w;
  for (;;) {
    if (journal.commitRequest === journal.commitSequence) {
      journal.kjournaldIdle = true;
      w.scheduler.block(task, undefined);
      yield;
      continue;
    }
    w.policy.ask(DecisionPoint.CommitStarting);
    yield* dropForPolicy(w, task);
    if (journal.flushed) yield* markInUse(w, task);
    yield* commit(w, task, journal.running as Transaction);
    yield* afterCommit(w, task);
  }
}

/** The first commit after a mount: the superblock says where the log begins. */
function* markInUse(w: World, task: Task): Steps {
  const { journal, device } = w;
  yield* journal.lock(task, undefined);
  const superblock = device.request(Kind.Super, JOURNAL_LBA, 1);
  superblock.plain = true;
  yield* device.wait(task, superblock, undefined);
  journal.flushed = false;
  journal.unlock();
}

function enter(w: World, transaction: Transaction, phase: Phase): void {
  transaction.phase = phase;
  w.clock.note(Note.Commit, phase, transaction.tid);
}

function* commit(w: World, task: Task, x: Transaction): Steps {
  const { clock, journal, scheduler, counters, config } = w;
  const { commitNs } = counters;
  // Phase 0: locked; open handles run to their end, new ones wait.
  enter(w, x, Phase.Locked);
  x.lockedNs = clock.now;
  commitNs.run += clock.now - x.startNs;
  yield* scheduler.burst(task, config.cpu.commitNs);
  yield* journal.awaitZero(task, x, "updates");
  // Switch: the checkpoint lists are cleaned before anything of this commit is durable.
  enter(w, x, Phase.Switch);
  commitNs.lock += clock.now - x.lockedNs;
  yield* scheduler.burst(task, config.cpu.scanBufferNs * cleanByRule(w, task));
  // Flush: the running slot becomes free.
  enter(w, x, Phase.Flush);
  x.flushedNs = clock.now;
  x.logStart = journal.head;
  x.outstanding -= journal.reserved; // will be claimed in the next transaction
  journal.committing = x;
  journal.running = undefined;
  scheduler.wakeAll(journal.waitLocked);
  counters.committedHandles += x.handles;
  counters.committedBuffers += x.metadata.size;
  enter(w, x, Phase.Commit);
  yield* writeLog(w, task, x);
  const tail = sampleTail(w);
  enter(w, x, Phase.Dflush);
  yield* sendLog(w, task, x);
  x.submittedNs = clock.now;
  commitNs.submit += clock.now - x.flushedNs;
  yield* journal.awaitZero(task, x, "logRequests");
  yield* writeRecord(w, task, x);
  if (tail !== undefined) yield* updateTail(w, task, tail);
  commitNs.tail += clock.now - x.recordNs;
  const forgetFrom = clock.now;
  yield* releaseBuffers(w, task, x);
  commitNs.forget += clock.now - forgetFrom;
  finish(w, x);
}

// ---- phases 2 and 3: revoke records and every buffer go to the log
function* writeLog(w: World, task: Task, x: Transaction): Steps {
  const { journal, scheduler, config, counters } = w;
  for (let left = x.revoked.size; left > 0; left -= REVOKES_PER_BLOCK) {
    yield* makeRoom(w, task, x, journal.lbaOf(journal.head));
    plugLog(w, task, journal.nextBlock(x));
  }
  // A descriptor's worth at a time: descriptor and buffers are submitted together.
  const group: { position: number; buffer?: Buffer }[] = [];
  for (const b of x.metadata) {
    yield* scheduler.burst(task, config.cpu.logBufferNs);
    if (group.length === 0) group.push({ position: journal.nextBlock(x) });
    if (b.checkpoint !== undefined) counters.rejoinedAtCommit++;
    b.shadow = true;
    b.list = "logged";
    group.push({ position: journal.nextBlock(x, b), buffer: b });
    if (b !== x.metadata.last && group.length <= config.tagsPerDescriptor) continue;
    for (const { position, buffer } of group.splice(0)) {
      yield* makeRoom(w, task, x, journal.lbaOf(position));
      plugLog(w, task, position, buffer);
    }
  }
  if (x.dataRequests > 0) {
    // Ordered data has to be on the device; a task that sleeps sends its plug.
    yield* sendLog(w, task, x);
    yield* journal.awaitZero(task, x, "dataRequests");
  }
  if (config.policy.cleanBeforeTail) {
    yield* scheduler.burst(task, config.cpu.scanBufferNs * cleanByRule(w, task));
  }
}
/** Sends what is plugged unless the block at `lba` can join it. */
function* makeRoom(w: World, task: Task, x: Transaction, lba: number): Steps {
  const { plug } = task;
  if (plug === undefined) return;
  const full = plug.blocks >= w.config.device.maxRequestBlocks;
  if (full || plug.lba + plug.blocks !== lba) yield* sendLog(w, task, x);
}
/** A log block joins the plugged request, or begins one. */
function plugLog(w: World, task: Task, position: number, b?: Buffer): void {
  task.plug ??= w.device.request(Kind.Log, w.journal.lbaOf(position), 0);
  task.plug.blocks++;
  task.plug.positions.push(position);
  if (b !== undefined) task.plug.buffers.push(b);
}
/** kjournald sleeps when the device has no tag left. */
function* sendLog(w: World, task: Task, x: Transaction): Steps {
  const request = task.plug;
  if (request === undefined) return;
  task.plug = undefined;
  request.transaction = x;
  x.logRequests++;
  w.counters.logWrites += request.blocks;
  yield* w.device.submit(task, request, undefined);
}

/** The new tail is computed before the forget list is processed, and only if it frees enough. */
function sampleTail(w: World): Tail | undefined {
  const tail = w.journal.newTail();
  if (tail === undefined) return undefined;
  if (tail.position - w.journal.tail < w.limits.tailMinimum) {
    w.counters.tailCommitTooSmall++;
    w.clock.tell(Note.TailSampled, 0, tail.position - w.journal.tail);
    return undefined;
  }
  w.counters.tailCommitDecided++;
  w.clock.tell(Note.TailSampled, 1, tail.position - w.journal.tail);
  return tail;
}

// ---- phase 5: the commit record, with preflush and FUA
function* writeRecord(w: World, task: Task, x: Transaction): Steps {
  const { clock, journal, device, counters } = w;
  enter(w, x, Phase.Jflush);
  counters.commitNs.ioWait += clock.now - x.submittedNs;
  const submittedNs = clock.now;
  const position = journal.nextBlock(x);
  const record = device.request(Kind.Record, journal.lbaOf(position), 1);
  record.positions.push(position);
  record.transaction = x;
  counters.logWrites++;
  yield* device.wait(task, record, undefined);
  x.recordNs = clock.now;
  counters.commitNs.record += clock.now - submittedNs;
}
/** jbd2_update_log_tail: a handle may have been faster. */
function* updateTail(w: World, task: Task, tail: Tail): Steps {
  const { journal } = w;
  yield* journal.lock(task, undefined);
  if (tail.tid > journal.tailTid) {
    w.counters.tailByCommit++;
    yield* journal.moveTail(task, tail);
  } else {
    w.clock.tell(Note.TailOvertaken, journal.tailTid, 0);
  }
  journal.unlock();
}

// ---- phase 6: the forget list: what handles forgot, then the logged buffers in reverse order
function* releaseBuffers(w: World, task: Task, x: Transaction): Steps {
  for (const b of [...x.forget, ...[...x.metadata].reverse()]) {
    release(w, b, x);
    yield* w.scheduler.burst(task, w.config.cpu.forgetBufferNs);
  }
}
/** A buffer leaves its older checkpoint list and the commit: to its next transaction, or home. */
function release(w: World, b: Buffer, x: Transaction): void {
  if (b.checkpoint !== undefined) {
    w.counters.checkpointDropped++;
    removeFromCheckpoint(w, b);
  }
  const { next } = b;
  b.frozen = false;
  b.shadow = false;
  b.transaction = undefined;
  b.next = undefined;
  b.list = "none";
  if (next === undefined && b.revoked) {
    b.revoked = false;
    b.freed = false;
    b.jbddirty = false;
  }
  if (b.jbddirty) addToCheckpoint(w, b, x);
  if (next !== undefined) {
    if (b.freed) {
      fileForget(b, next);
    } else {
      b.jbddirty = true;
      fileMetadata(b, next);
    }
  } else if (b.jbddirty) {
    b.jbddirty = false;
    w.pages.markDirty(b);
  }
}

// ---- phase 7
function finish(w: World, x: Transaction): void {
  const { journal, scheduler, counters, clock } = w;
  counters.commitNs.total += clock.now - x.lockedNs;
  counters.commits++;
  journal.checkpoints.push(x);
  journal.finish(x);
  enter(w, x, Phase.Finished);
  if (x.checkpoint.size === 0) journal.drop(x);
  scheduler.wakeAll(journal.waitDone);
}
