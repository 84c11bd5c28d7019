import { Distribution } from "../distribution.js";
import { LineFitter } from "../line-fit.js";
import {
  type CheckpointMeasurements,
  COMMIT_PHASES,
  type CommitPhase,
  type Estimate,
  type HandleMeasurements,
  type Measurements,
  NOTHING,
  type TailMeasurements,
} from "../measurements.js";
import type { EventFields } from "./events.js";
import type { TraceLine } from "./line.js";
import { nobody, taskKind } from "./task-kind.js";

const RUN_STATS_PHASES: readonly (readonly [CommitPhase, string])[] = [
  ["wait", "wait"],
  ["requestDelay", "request_delay"],
  ["running", "running"],
  ["locked", "locked"],
  ["flushing", "flushing"],
  ["logging", "logging"],
];

/** REQ_PREFLUSH of a request's flags: the superblock write flushes the cache itself. */
const REQ_PREFLUSH = 0x4_0000;
/** Further apart, two events of one tail move are none of the same move. */
const LONGEST_MOVE_SECONDS = 60;

/** Everything a trace tells of one journal, in constant memory. */
export class DeviceTrace {
  readonly #phases = new Map<CommitPhase, Distribution>();
  readonly #perTransaction = {
    handles: new Distribution(),
    blocks: new Distribution(),
    logged: new Distribution(),
  };
  readonly #commitMs = new Distribution();
  readonly #commitFit = new LineFitter();
  readonly #checkpointMs = new Distribution();
  readonly #freed = new Distribution();
  readonly #flushMs = new Distribution();
  readonly #superblockMs = new Distribution();
  readonly #waits = new Map<string, Distribution>();
  readonly #handle = {
    requested: new Distribution(),
    dirtied: new Distribution(),
    interval: new Distribution(),
  };
  readonly #checkpointsBy = nobody();
  readonly #tailBy = nobody();
  #commits = 0;
  #syncCommits = 0;
  #ended = 0;
  #forced = 0;
  #forcedMs = 0;
  #writing = 0;
  #writingMs = 0;
  #writingBlocks = 0;
  #written = 0;
  #dropped = 0;
  #started = 0;
  #extended = 0;
  #restarted = 0;
  #syncHandles = 0;
  #startedAt: number | undefined;
  #loggedLast: number | undefined;
  #droppedAt: number | undefined;
  #superblock: { pid: number; time: number; preflush: boolean } | undefined;
  #from: number | undefined;
  #to: number | undefined;

  constructor(private readonly device: string) {}

  /** Takes a known event. */
  take(line: TraceLine, { numbers }: EventFields): void {
    const time = line.ticks ? undefined : line.time;
    if (time !== undefined) {
      this.#from = Math.min(this.#from ?? time, time);
      this.#to = Math.max(this.#to ?? time, time);
    }
    const n = (name: string): number => numbers.get(name) ?? 0;
    switch (line.event) {
      case "jbd2_start_commit":
        this.#commits++;
        this.#startedAt = time;
        break;
      case "jbd2_end_commit":
        this.#endCommit(time, n("sync") !== 0);
        break;
      case "jbd2_run_stats":
        this.#runStats(numbers);
        break;
      case "jbd2_checkpoint_stats":
        this.#checkpointStats(line, n);
        this.#droppedAt = time;
        break;
      case "jbd2_drop_transaction":
        this.#droppedAt = time;
        break;
      case "jbd2_write_superblock":
        this.#writeSuperblock(line, time, n("write_flags"));
        break;
      case "jbd2_update_log_tail":
        this.#updateTail(line, time, n("freed"));
        break;
      default:
        this.#handleEvent(line.event, n);
    }
  }

  /** Takes a wait that a private trace event told. */
  wait(event: string, microseconds: number): void {
    const waits = this.#waits.get(event) ?? new Distribution();
    waits.add(microseconds / 1000);
    this.#waits.set(event, waits);
  }

  #endCommit(time: number | undefined, sync: boolean): void {
    this.#ended++;
    this.#syncCommits += sync ? 1 : 0;
    if (this.#startedAt !== undefined && time !== undefined && time >= this.#startedAt) {
      const ms = (time - this.#startedAt) * 1000;
      this.#commitMs.add(ms);
      if (this.#loggedLast !== undefined) this.#commitFit.add(this.#loggedLast, ms);
    }
    this.#startedAt = undefined;
    this.#loggedLast = undefined;
  }

  #runStats(numbers: EventFields["numbers"]): void {
    for (const [phase, name] of RUN_STATS_PHASES) {
      const ms = numbers.get(name);
      if (ms !== undefined) {
        const distribution = this.#phases.get(phase) ?? new Distribution();
        distribution.add(Math.max(0, ms));
        this.#phases.set(phase, distribution);
      }
    }
    this.#perTransaction.handles.add(numbers.get("handle_count")!);
    this.#perTransaction.blocks.add(numbers.get("blocks")!);
    this.#loggedLast = numbers.get("blocks_logged")!;
    this.#perTransaction.logged.add(this.#loggedLast);
  }

  #checkpointStats(line: TraceLine, n: (name: string) => number): void {
    const ms = n("chp_time");
    const forced = n("forced_to_close") > 0;
    this.#checkpointsBy[taskKind(line.comm)]++;
    this.#checkpointMs.add(Math.max(0, ms));
    this.#written += n("written");
    this.#dropped += n("dropped");
    if (forced) {
      this.#forced++;
      this.#forcedMs += ms;
    } else if (ms > 0 && n("written") > 0) {
      this.#writing++;
      this.#writingMs += ms;
      this.#writingBlocks += n("written");
    }
  }

  /** `jbd2_cleanup_journal_tail`: the device is flushed, then the superblock written. */
  #writeSuperblock(line: TraceLine, time: number | undefined, flags: number): void {
    if (time === undefined) {
      return;
    }
    const preflush = (flags & REQ_PREFLUSH) !== 0;
    const since = this.#droppedAt === undefined ? -1 : time - this.#droppedAt;
    if (!preflush && since > 0 && since < LONGEST_MOVE_SECONDS && !line.comm.startsWith("jbd2/")) {
      this.#flushMs.add(since * 1000);
    }
    this.#droppedAt = undefined;
    this.#superblock = { pid: line.pid, time, preflush };
  }

  #updateTail(line: TraceLine, time: number | undefined, freed: number): void {
    this.#tailBy[taskKind(line.comm)]++;
    this.#freed.add(Math.max(0, freed));
    const write = this.#superblock;
    if (write?.pid === line.pid && time !== undefined && !write.preflush) {
      this.#superblockMs.add(Math.max(0, (time - write.time) * 1000));
    }
    this.#superblock = undefined;
  }

  #handleEvent(event: string, n: (name: string) => number): void {
    if (event === "jbd2_handle_start") {
      this.#started++;
      this.#handle.requested.add(Math.max(0, n("requested_blocks")));
    } else if (event === "jbd2_handle_stats") {
      this.#handle.dirtied.add(Math.max(0, n("dirtied_blocks")));
      this.#handle.interval.add(Math.max(0, n("interval")));
      this.#syncHandles += n("sync") !== 0 ? 1 : 0;
    } else if (event === "jbd2_handle_extend") {
      this.#extended++;
    } else if (event === "jbd2_handle_restart") {
      this.#restarted++;
    } else if (event === "jbd2_lock_buffer_stall") {
      this.wait(event, n("stall_ms") * 1000);
    }
  }

  measurements(): Measurements {
    const { handles, blocks, logged } = this.#perTransaction;
    const phases = COMMIT_PHASES.flatMap((phase) => {
      const summary = this.#phases.get(phase)?.summary();
      return summary === undefined ? [] : [[phase, summary] as const];
    });
    const waits = [...this.#waits].map(([name, waits]) => [name, waits.summary()!] as const);
    return {
      ...NOTHING,
      device: this.device,
      seconds: this.#from === undefined ? undefined : this.#to! - this.#from,
      commits: Math.max(this.#commits, this.#ended, handles.count),
      handlesPerTransaction: handles.summary(),
      blocksPerTransaction: blocks.summary(),
      loggedPerTransaction: logged.summary(),
      phasesMs: Object.fromEntries(phases),
      commitMs: this.#commitMs.summary(),
      commitFit: this.#commitFit.fit(),
      syncShare: this.#ended === 0 ? undefined : this.#syncCommits / this.#ended,
      checkpoints: this.#checkpoints(),
      tailUpdates: this.#tailUpdates(),
      handles: this.#handles(),
      waitsMs: Object.fromEntries(waits),
      deviceFlushMs: this.#flush(),
      superblockWriteMs: estimate(
        this.#superblockMs,
        "shortest time from a tail's superblock write to the tail's move",
      ),
    };
  }

  #checkpoints(): CheckpointMeasurements | undefined {
    const count = this.#checkpointMs.count;
    if (count === 0) {
      return undefined;
    }
    return {
      count,
      timed: this.#checkpointMs.positive,
      timeMs: this.#checkpointMs.summary(),
      forced: this.#forced,
      forcedMs: this.#forcedMs,
      writing: this.#writing,
      writingMs: this.#writingMs,
      writingBlocks: this.#writingBlocks,
      written: this.#written,
      dropped: this.#dropped,
      msPerHomeBlock: this.#writingBlocks === 0 ? undefined : this.#writingMs / this.#writingBlocks,
      byTask: this.#checkpointsBy,
    };
  }

  #tailUpdates(): TailMeasurements | undefined {
    const count = this.#freed.count;
    return count === 0 ? undefined : { count, freed: this.#freed.summary(), byTask: this.#tailBy };
  }

  #handles(): HandleMeasurements | undefined {
    if (this.#started === 0 && this.#handle.dirtied.count === 0) {
      return undefined;
    }
    return {
      started: this.#started,
      extended: this.#extended,
      restarted: this.#restarted,
      requestedBlocks: this.#handle.requested.summary(),
      dirtiedBlocks: this.#handle.dirtied.summary(),
      intervalJiffies: this.#handle.interval.summary(),
      sync: this.#syncHandles,
    };
  }

  /**
   * A flush also drains what was queued before it: the shortest is the nearest to an idle
   * device's.
   */
  #flush(): Estimate | undefined {
    const tail =
      "shortest time from a dropped transaction to the superblock write of the tail move";
    const commit = "at most: the shortest commit, which flushes once";
    return estimate(this.#flushMs, tail) ?? estimate(this.#commitMs, commit, false);
  }
}

function estimate(distribution: Distribution, how: string, exact = true): Estimate | undefined {
  const summary = distribution.summary();
  return summary?.min === undefined
    ? undefined
    : { value: summary.min, count: summary.count, exact, how };
}
