// What a finished block request means to the rest of the world.
import { Kind, Note, type Request } from "./state.js";
import type { World } from "./world.js";

export function completed(w: World, r: Request): void {
  const { clock, device, journal, judge, pages, flushing } = w;
  const { logIoNs, homeIoNs } = w.config.cpu;
  w.scheduler.interrupt(r.blocks * (r.kind === Kind.Log ? logIoNs : homeIoNs));
  clock.note(Note.Io, r.kind, r.blocks);
  device.releaseTag();
  const x = r.transaction;
  if (r.kind === Kind.Log && x !== undefined) {
    judge.logWritten(r.positions);
    for (const b of r.buffers) {
      b.shadow = false;
      w.scheduler.wakeAll(b.waiters);
    }
    journal.countDown(x, "logRequests");
  } else if (r.kind === Kind.Record && x !== undefined) {
    judge.recordDurable(
      x.tid,
      x.logStart,
      journal.head,
      [...x.forget].map((b) => b.block),
    );
  } else if (r.kind === Kind.Flush) {
    judge.flushed(r.mark);
  } else if (r.kind === Kind.Home) {
    pages.homeInFlight -= r.blocks;
    for (const b of r.buffers) {
      b.locked = false;
      judge.homeWritten(b.block);
      w.scheduler.wakeAll(b.waiters);
    }
    flushing.requestDone();
    w.policy.homeWritesDone(r.blocks);
    w.working.done(r);
  } else if (r.kind === Kind.Data && x !== undefined && r.inode !== undefined) {
    if (w.config.conversionCredits > 0) {
      w.converting.add(r.inode, r.blocks);
    } else {
      pages.endWriteback(r.blocks);
      w.inodes.written(r.inode, r.blocks);
      journal.countDown(x, "dataRequests");
      flushing.dataInFlight--;
      flushing.requestDone();
    }
  }
  if (r.waiter !== undefined) w.scheduler.wake(r.waiter);
}
