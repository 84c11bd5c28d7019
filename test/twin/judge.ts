import type { LossWindow, WorldConfig } from "@jbdlab/core-wasm";
import type { Clock } from "./clock.js";
import { type Buffer, Note } from "./state.js";

/** When the log or its tail change: judge all blocks by a full replay, or only those concerned. */
export type JudgeMode = "replay" | "index";

/** What one block of the log holds. */
interface LogBlock {
  readonly position: number;
  /** undefined: a descriptor, revoke or commit block. */
  readonly block: number | undefined;
  /** tid of the transaction whose change the copy holds. */
  readonly version: number;
  /** Number of the write that completed it, 0 = in flight. */
  stamp: number;
}
interface Commit {
  readonly tid: number;
  readonly from: number;
  readonly to: number;
  readonly revoked: ReadonlySet<number>;
}
interface Copy {
  readonly version: number;
  readonly position: number;
}
/** Versions of a home location that may be on the medium: the durable one, and later ones. */
interface Home {
  durable: number;
  later: { readonly version: number; stamp: number }[];
}

/**
 * The judge of crash consistency. It keeps what was sent to the medium, block by block, and at each
 * cut replays the log from the durable tail as recovery would: every block has to hold its version
 * of the newest durable commit, whatever unflushed write survives and whichever superblock.
 */
export class Judge {
  cuts = 0;
  violation = "";
  readonly windows: LossWindow[] = [];
  readonly #clock: Clock;
  readonly #mode: JudgeMode;
  readonly #writeCache: boolean;
  /** Blocks of the log; a position lies in cell `position % cells`. */
  readonly #cells: number;
  readonly #log = new Map<number, LogBlock>();
  readonly #home = new Map<number, Home>();
  /** Commits with a durable record, oldest first. */
  #commits: Commit[] = [];
  /** Newest durably committed version of a block. A revoked block has none. */
  readonly #expected = new Map<number, number>();
  /** Where the newest committed copy of a block is. */
  readonly #newest = new Map<number, Copy>();
  readonly #open = new Map<number, LossWindow>();
  #tail: { position: number; tid: number } = { position: 1, tid: 2 };
  #nextTail: { position: number; tid: number } | undefined;
  #writes = 0;
  #durable = 0;

  constructor(clock: Clock, config: WorldConfig, mode: JudgeMode) {
    this.#clock = clock;
    this.#mode = mode;
    this.#writeCache = config.device.writeCache;
    const { infiniteLog } = config.policy;
    this.#cells = infiniteLog ? Number.MAX_SAFE_INTEGER : config.journalBlocks - 1;
  }

  // ---- what is sent to the medium
  logBlock(position: number, tid: number, buffer?: Buffer): void {
    const cell = position % this.#cells;
    const old = this.#log.get(cell);
    if (old !== undefined && old.position >= this.#tail.position) {
      this.#violates(`log block reused that the durable tail still needs (block ${position})`);
    }
    // A frozen copy holds what the transaction changed; else the log gets the buffer as it is.
    const version = buffer === undefined || buffer.frozen ? tid : buffer.version;
    this.#log.set(cell, { position, block: buffer?.block, version, stamp: 0 });
  }
  logWritten(positions: readonly number[]): void {
    const stamp = this.#written();
    for (const position of positions) {
      const held = this.#log.get(position % this.#cells);
      if (held?.position === position) held.stamp = stamp;
    }
  }
  homeSubmitted(block: number, version: number): void {
    if (this.#expected.get(block) !== version) {
      this.#violates(`home write of a version whose commit is not durable (block ${block})`);
    }
    this.#homeOf(block).later.push({ version, stamp: 0 });
    this.#cut([block]);
  }
  homeWritten(block: number): void {
    const write = this.#homeOf(block).later.at(-1);
    if (write !== undefined) write.stamp = this.#written();
    this.#cut([block]);
  }
  #homeOf(block: number): Home {
    let home = this.#home.get(block);
    if (home === undefined) {
      home = { durable: 0, later: [] };
      this.#home.set(block, home);
    }
    return home;
  }
  #written(): number {
    const stamp = ++this.#writes;
    if (!this.#writeCache) this.#durable = stamp;
    return stamp;
  }
  /** A flush is issued now; returns what it will cover. */
  flushIssued(): number {
    return this.#writes;
  }
  flushed(mark: number): void {
    this.#durable = Math.max(this.#durable, mark);
    this.#cut([]);
  }
  /** The commit record of [from, to) is durable. */
  recordDurable(tid: number, from: number, to: number, revoked: readonly number[]): void {
    const concerned = new Set<number>();
    for (let p = from; p < to; p++) {
      const held = this.#log.get(p % this.#cells);
      const isRecord = p === to - 1;
      const durable = held?.position === p && held.stamp > 0 && held.stamp <= this.#durable;
      if (!isRecord && !durable) {
        this.#violates(`commit record durable before its log blocks (transaction ${tid})`);
      }
      if (held?.block === undefined) continue;
      if (held.version !== tid) this.#violates(`log copy of another version (transaction ${tid})`);
      this.#expected.set(held.block, tid);
      this.#newest.set(held.block, { version: held.version, position: p });
      concerned.add(held.block);
    }
    for (const block of revoked) {
      this.#expected.delete(block);
      concerned.add(block);
    }
    this.#commits.push({ tid, from, to, revoked: new Set(revoked) });
    this.#fullCut(concerned);
  }
  /** A superblock with this tail is on its way: from now on either may be the durable one. */
  tailSubmitted(position: number, tid: number): void {
    this.#nextTail = { position, tid };
    const passed = new Set<number>();
    for (let p = this.#tail.position; p < position; p++) {
      const block = this.#log.get(p % this.#cells)?.block;
      if (block !== undefined) passed.add(block);
    }
    this.#fullCut(passed);
  }
  tailDurable(): void {
    if (this.#nextTail !== undefined) this.#tail = this.#nextTail;
    this.#nextTail = undefined;
    this.#commits = this.#commits.filter((commit) => commit.tid >= this.#tail.tid);
    this.#cut([]);
  }

  // ---- a power cut now
  /** Something happened that can make a difference to these blocks only. */
  #cut(concerned: Iterable<number>): void {
    this.cuts++;
    const tail = this.#nextTail ?? this.#tail;
    const blocks = this.#open.size > 0 ? new Set([...concerned, ...this.#open.keys()]) : concerned;
    for (const block of blocks) {
      const expected = this.#expected.get(block);
      const copy = this.#newest.get(block);
      const live = copy !== undefined && copy.position >= tail.position;
      this.#judge(block, expected, live ? copy.version : undefined, tail.tid);
    }
  }
  /** The same, and in "replay" mode no block is left out. */
  #fullCut(concerned: Iterable<number>): void {
    if (this.#mode === "index") {
      this.#cut(concerned);
      return;
    }
    this.cuts++;
    const tail = this.#nextTail ?? this.#tail;
    const recovered = this.#replay(tail);
    const changed = new Set<number>();
    for (const [block, expected] of this.#expected) {
      const safe = this.#holds(block, expected, recovered.get(block));
      if (safe === this.#open.has(block)) changed.add(block);
    }
    for (const block of this.#open.keys()) if (!this.#expected.has(block)) changed.add(block);
    if (changed.size === 0) return;
    for (const block of new Set([...concerned, ...changed])) {
      if (!changed.has(block)) continue;
      this.#judge(block, this.#expected.get(block), recovered.get(block), tail.tid);
    }
  }
  #judge(block: number, expected: number | undefined, replayed: number | undefined, tid: number) {
    if (expected === undefined || this.#holds(block, expected, replayed)) this.#close(block);
    else this.#openWindow(block, expected, tid);
  }
  /** Recovery: what each block's last copy in the live log holds, revoked copies left out. */
  #replay(tail: { position: number; tid: number }): Map<number, number> {
    const live = this.#commits.filter((commit) => commit.tid >= tail.tid);
    const revokedBy = new Map<number, number>();
    for (const { tid, revoked } of live) for (const block of revoked) revokedBy.set(block, tid);
    const content = new Map<number, number>();
    for (const { tid, from, to } of live) {
      for (let p = from; p < to; p++) {
        const held = this.#log.get(p % this.#cells);
        if (held?.position !== p || held.block === undefined) continue;
        if ((revokedBy.get(held.block) ?? -1) < tid) content.set(held.block, held.version);
      }
    }
    return content;
  }
  #holds(block: number, expected: number, replayed: number | undefined): boolean {
    if (replayed !== undefined) return replayed === expected;
    const home = this.#home.get(block);
    if (home === undefined) return false;
    const isDurable = ({ stamp }: { stamp: number }) => stamp > 0 && stamp <= this.#durable;
    if (home.later.some(isDurable)) {
      home.durable = home.later.findLast(isDurable)?.version ?? home.durable;
      home.later = home.later.filter((write) => !isDurable(write));
    }
    return home.durable === expected && home.later.every(({ version }) => version === expected);
  }
  #openWindow(block: number, tid: number, tailTid: number): void {
    if (this.#open.has(block)) return;
    const window = { block, tid, tailTid, fromNs: this.#clock.now, toNs: -1 };
    this.windows.push(window);
    this.#open.set(block, window);
    this.#clock.note(Note.Loss, block, tid);
  }
  #close(block: number): void {
    const window = this.#open.get(block);
    if (window === undefined) return;
    window.toNs = this.#clock.now;
    this.#open.delete(block);
    this.#clock.note(Note.Loss, block, 0);
  }
  #violates(what: string): void {
    if (this.violation === "") this.violation = what;
  }
}
