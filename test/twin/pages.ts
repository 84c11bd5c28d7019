import { Heap } from "./clock.js";
import { Ring } from "./ring.js";
import { type Buffer, type Inode, type Task, type Touch, TwinError } from "./state.js";
import type { World } from "./world.js";

/** The page cache: dirty pages of the block device (one per buffer) and the counts of all. */
export class Pages {
  dirty = 0;
  /** File pages being written. */
  writeback = 0;
  /** Buffers that may be written home. */
  dirtyBuffers = 0;
  /** Home writes in flight. */
  homeInFlight = 0;
  /** Since when the block device has dirty pages, -1 = it has none. */
  bdevSinceNs = -1;
  flusherIdle = true;
  readonly waitThrottle: Task[] = [];
  /** The pass under way, in block order, and where it is; pages behind it are for the next. */
  #pass: Heap<Buffer> | undefined;
  #at = 0;
  #later: Buffer[] = [];
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** mark_buffer_dirty */
  markDirty(b: Buffer): void {
    if (!b.dirty) this.dirtyBuffers++;
    b.dirty = true;
    if (b.pageDirty) return;
    b.pageDirty = true;
    if (this.bdevSinceNs < 0) this.bdevSinceNs = this.#world.clock.now;
    if (this.#pass !== undefined && b.block > this.#at) this.#pass.push(b);
    else this.#later.push(b);
    this.countDirty(1);
  }
  /** clear_buffer_dirty; its page stays dirty until the flusher has looked at it. */
  markClean(b: Buffer): void {
    if (b.dirty) this.dirtyBuffers--;
    b.dirty = false;
  }

  countDirty(pages: number): void {
    this.dirty += pages;
    if (this.dirty > this.#world.limits.backgroundPages) this.wakeFlusher();
  }
  wakeFlusher(): void {
    if (!this.flusherIdle) return;
    this.flusherIdle = false;
    this.#world.scheduler.wake(this.#world.flusher);
  }
  /** balance_dirty_pages: writers sleep above the middle of background and dirty limit. */
  get throttled(): boolean {
    return this.dirty + this.writeback > this.#world.limits.freerunPages;
  }
  startWriteback(pages: number): void {
    this.dirty -= pages;
    this.writeback += pages;
  }
  endWriteback(pages: number): void {
    this.writeback -= pages;
    this.#releaseThrottled();
  }
  #releaseThrottled(): void {
    if (!this.throttled) this.#world.scheduler.wakeAll(this.waitThrottle);
  }

  // ---- a pass over the block device
  beginPass(): void {
    this.#pass = new Heap<Buffer>((a, b) => a.block < b.block);
    this.#at = 0;
    for (const b of this.#later.splice(0)) this.#pass.push(b);
  }
  get nextOfPass(): Buffer | undefined {
    return this.#pass?.first;
  }
  /** The pass is over the page of b; `clean`: there is nothing left to do for it. */
  passed(b: Buffer, clean: boolean): void {
    if (clean) {
      b.pageDirty = false;
      this.dirty--;
      this.#releaseThrottled();
    } else {
      this.#later.push(b);
    }
    if (this.#pass?.pop() !== b) throw new TwinError("assert", "the pass lost its page");
    this.#at = b.block;
  }
  /**
   * redirty_tail: with pages dirty again the device stays as old as it was, unless an inode waits
   * that became dirty later.
   */
  endPass(): void {
    this.#pass = undefined;
    if (this.#later.length === 0) this.bdevSinceNs = -1;
    else if (this.bdevSinceNs < this.#world.inodes.newestDirtyNs) {
      this.bdevSinceNs = this.#world.clock.now;
    }
  }
}

/** Inodes with dirty file pages, oldest first, and what fsync has to know of any inode. */
export class Inodes {
  readonly #all = new Map<number, Inode>();
  /** In the order in which their pages became dirty. */
  readonly #dirty = new Ring<Inode>();
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }
  get oldestDirty(): Inode | undefined {
    return this.#dirty.first;
  }
  get newestDirtyNs(): number {
    return this.#dirty.last?.whenNs ?? -1;
  }
  find(number: number): Inode | undefined {
    return this.#all.get(number);
  }
  of(number: number): Inode {
    let inode = this.#all.get(number);
    if (inode === undefined) {
      inode = {
        number,
        pages: 0,
        inFlight: 0,
        dataBlock: 0,
        credits: 0,
        cpuNs: 0,
        touches: [],
        whenNs: 0,
        syncTid: 0,
        waiters: [],
      };
      this.#all.set(number, inode);
    }
    return inode;
  }
  /** A handle dirtied file pages. */
  dirty(number: number, data: DataPlan): void {
    const inode = this.of(number);
    if (inode.pages === 0) {
      inode.dataBlock = data.dataBlock;
      inode.whenNs = this.#world.clock.now;
      this.#dirty.addLast(inode);
    }
    inode.pages += data.blocks;
    inode.credits = data.credits;
    inode.cpuNs = data.cpuNs;
    inode.touches = data.touches;
    this.#world.pages.countDirty(data.blocks);
  }
  /** Its dirty pages are in flight from now on; returns how many. */
  take(inode: Inode): number {
    const { pages } = inode;
    this.#dirty.remove(inode);
    inode.pages = 0;
    inode.inFlight += pages;
    this.#world.pages.startWriteback(pages);
    return pages;
  }
  written(inode: Inode, pages: number): void {
    inode.inFlight -= pages;
    if (inode.inFlight > 0) return;
    // The last to come is the first to go on.
    for (const task of inode.waiters.splice(0).reverse()) this.#world.scheduler.wake(task);
  }
}

/** File pages that a handle dirties, and the handle that will allocate them. */
export interface DataPlan {
  readonly blocks: number;
  readonly dataBlock: number;
  readonly credits: number;
  readonly cpuNs: number;
  readonly touches: readonly Touch[];
}
