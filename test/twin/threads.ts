// What a handle thread does: its records one after the other, fsync, sync, iteration barriers.
import { runHandle } from "./handles.js";
import type { HandleRecord, Records } from "./records.js";
import { Kind, Note, Phase, type Steps, type Task } from "./state.js";
import type { World } from "./world.js";
import { writeInode } from "./writeback.js";

export class Threads {
  alive: number;
  readonly #records: Records;
  readonly #barrier: Task[] = [];
  /** When the running iteration began; files/s of the threads that have ended it: fs_mark adds. */
  #begun = 0;
  #rate = 0;
  readonly #world: World;

  constructor(world: World, records: Records) {
    this.#world = world;
    this.#records = records;
    this.alive = world.config.threads;
  }

  *main(task: Task): Steps {
    const { scheduler } = this.#world;
    for (;;) {
      const entry = this.#records.next(task.id);
      if (entry.op === "handle") {
        yield* this.#handle(task, entry);
      } else if (entry.op === "fsync") {
        yield* scheduler.burst(task, entry.thinkNs);
        yield* this.#fsync(task, entry.inode);
      } else if (entry.op === "sync") {
        yield* scheduler.burst(task, entry.thinkNs);
        yield* this.#sync(task);
      } else if (entry.op === "iteration") {
        yield* this.#iteration(task, entry.files);
      } else {
        this.alive--;
        if (this.alive > 0 && this.#barrier.length === this.alive) this.#passBarrier();
        scheduler.block(task, undefined);
        return;
      }
    }
  }

  *#handle(task: Task, record: HandleRecord): Steps {
    const { scheduler, config, inodes, pages } = this.#world;
    const { credits, inode, flags, touches, data } = record;
    yield* scheduler.burst(task, record.thinkNs);
    const cpuNs = record.cpuNs + config.cpu.handleNs;
    yield* runHandle(this.#world, task, {
      credits,
      cpuNs,
      inode,
      flags,
      touches,
      writesData: false,
    });
    if (data === undefined) return;
    inodes.dirty(inode, data);
    while (pages.throttled) {
      this.#world.clock.tell(Note.Throttled, pages.dirty, task.id);
      pages.wakeFlusher();
      yield* scheduler.sleepOn(task, pages.waitThrottle, "dirty-throttle");
    }
  }

  // ---- all threads meet at the end of an iteration; the last one takes the sample
  *#iteration(task: Task, files: number): Steps {
    const { counters, clock } = this.#world;
    counters.files += files;
    if (clock.now > this.#begun) this.#rate += (files * 1e9) / (clock.now - this.#begun);
    if (this.#barrier.length + 1 < this.alive) {
      yield* this.#world.scheduler.sleepOn(task, this.#barrier, undefined);
    } else {
      this.#passBarrier();
    }
  }
  #passBarrier(): void {
    const { counters, clock, scheduler } = this.#world;
    const { files } = counters;
    clock.note(Note.Iteration, counters.iterations.length, files);
    counters.iterations.push({ files, endNs: clock.now, filesPerSecond: this.#rate });
    this.#begun = clock.now;
    this.#rate = 0;
    scheduler.wakeAll(this.#barrier);
  }

  // ---- ext4_sync_file: the file's pages, then the commit that covers it
  *#fsync(task: Task, number: number): Steps {
    const { inodes, device, scheduler } = this.#world;
    const inode = inodes.find(number);
    if (inode === undefined) return;
    while (inode.pages > 0 || inode.inFlight > 0) {
      if (inode.pages > 0) {
        const request = yield* writeInode(this.#world, task, inode);
        yield* device.submit(task, request, "fsync");
      } else {
        yield* scheduler.sleepOn(task, inode.waiters, "fsync");
      }
    }
    if (!(yield* this.#completeTransaction(task, inode.syncTid))) yield* this.#flush(task);
  }
  /**
   * jbd2_complete_transaction. True when that commit still flushes the device after what was
   * written before (jbd2_trans_will_send_data_barrier).
   */
  *#completeTransaction(task: Task, tid: number): Steps<boolean> {
    const { journal } = this.#world;
    if (tid <= journal.commitSequence) return false;
    const { committing } = journal;
    const late = committing?.tid === tid && committing.phase >= Phase.Jflush;
    journal.requestCommit(tid, "sync");
    yield* journal.waitCommit(task, tid, "fsync");
    return !late;
  }
  *#flush(task: Task): Steps {
    const { device, config } = this.#world;
    if (!config.device.writeCache) return;
    yield* device.wait(task, device.request(Kind.Flush, 0, 0), "fsync");
  }

  // ---- sync: all file data, the commit, all metadata, a flush
  *#sync(task: Task): Steps {
    const { journal, scheduler, flushing, pages } = this.#world;
    pages.wakeFlusher();
    yield* scheduler.sleepOn(task, flushing.waitData, "fsync");
    const newest = journal.running ?? journal.committing;
    if (newest !== undefined) yield* this.#completeTransaction(task, newest.tid);
    pages.wakeFlusher();
    yield* scheduler.sleepOn(task, flushing.waitMetadata, "fsync");
    yield* this.#flush(task);
  }
}
