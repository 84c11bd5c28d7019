// ext4's end of a data write: unwritten extents become written ones in a handle of their own; only
// then is the writeback of the pages over.
import { runHandle } from "./handles.js";
import type { Inode, Steps, Task } from "./state.js";
import type { World } from "./world.js";

export class Converter {
  /** Inodes in the order in which their first write ended, with the writes and pages of each. */
  readonly #waiting = new Map<Inode, { writes: number; pages: number }>();
  #idle = true;
  readonly #world: World;

  constructor(world: World) {
    this.#world = world;
  }

  /** The I/O of a write has ended. */
  add(inode: Inode, pages: number): void {
    const waiting = this.#waiting.get(inode) ?? { writes: 0, pages: 0 };
    this.#waiting.set(inode, { writes: waiting.writes + 1, pages: waiting.pages + pages });
    if (!this.#idle) return;
    this.#idle = false;
    this.#world.scheduler.wake(this.#world.converter);
  }

  *main(task: Task): Steps {
    for (;;) {
      const inode = this.#waiting.keys().next().value;
      if (inode === undefined) {
        this.#idle = true;
        this.#world.scheduler.block(task, undefined);
        yield;
      } else {
        yield* this.#convert(task, inode);
      }
    }
  }
  *#convert(task: Task, inode: Inode): Steps {
    const { config, flushing, inodes, pages } = this.#world;
    yield* runHandle(this.#world, task, {
      credits: config.conversionCredits,
      cpuNs: config.cpu.conversionNs,
      inode: inode.number,
      flags: 0,
      touches: inode.touches.slice(-1), // the inode's own block is the last one
      writesData: false,
    });
    const waiting = this.#waiting.get(inode);
    if (waiting === undefined) return;
    waiting.writes--;
    if (waiting.writes === 0) {
      this.#waiting.delete(inode);
      pages.endWriteback(waiting.pages);
      inodes.written(inode, waiting.pages);
    }
    flushing.dataInFlight--;
    flushing.requestDone();
  }
}
