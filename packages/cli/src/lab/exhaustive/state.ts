/**
 * A journal in miniature, written down without the core: blocks, transactions, lists, the medium.
 * Every number is a transaction's tid; 0 is none.
 *
 * What is left out: positions in the log (a transaction is in the log or not), times, credits,
 * descriptor blocks, several log blocks of one commit (a record is durable with all of them or not
 * at all).
 */
export interface BlockState {
  /** Version in memory. */
  memory: number;
  /** b_transaction and b_next_transaction. */
  owner: number;
  next: number;
  /** The transaction whose checkpoint list it is on. */
  checkpoint: number;
  /** May be written home. */
  dirty: boolean;
  /** Version whose home write is in flight; the buffer is locked. */
  flight: number;
  /** Version that reached the device, maybe only its cache. */
  cached: number;
  /** Version on the medium for certain. */
  durable: number;
  /** Newest version whose commit record is durable. */
  committed: number;
}

export interface JournalState {
  readonly blocks: BlockState[];
  /** Newest transaction begun. */
  last: number;
  running: number;
  committing: number;
  /** The committing one's record is durable. */
  recorded: boolean;
  /** Checkpoint transactions, oldest first. */
  checkpoints: number[];
  /** First transaction that recovery replays: where the superblock may already be. */
  tail: number;
}

export const initialState = (blocks: number): JournalState => ({
  blocks: Array.from({ length: blocks }, () => ({
    memory: 0,
    owner: 0,
    next: 0,
    checkpoint: 0,
    dirty: false,
    flight: 0,
    cached: 0,
    durable: 0,
    committed: 0,
  })),
  last: 0,
  running: 0,
  committing: 0,
  recorded: false,
  checkpoints: [],
  tail: 1,
});

export const copyState = (s: JournalState): JournalState => ({
  ...s,
  blocks: s.blocks.map((block) => ({ ...block })),
  checkpoints: [...s.checkpoints],
});

/** Equal for equal states. A checkpoint list has the order of its blocks: they are told apart. */
export function keyOf(s: JournalState): string {
  const blocks = s.blocks.map((b) =>
    [
      b.memory,
      b.owner,
      b.next,
      b.checkpoint,
      b.dirty ? 1 : 0,
      b.flight,
      b.cached,
      b.durable,
      b.committed,
    ].join(),
  );
  const rest = [
    s.last,
    s.running,
    s.committing,
    s.recorded ? 1 : 0,
    s.tail,
    s.checkpoints.join("+"),
  ];
  return `${rest.join()}|${blocks.join("|")}`;
}

/**
 * What a power cut now would lose, in words; undefined: nothing. Recovery replays the durable
 * commits from the tail on; unflushed writes are lost or not, whatever is worse.
 */
export function lossOf(s: JournalState): string | undefined {
  for (const [i, b] of s.blocks.entries()) {
    if (b.committed === 0 || b.committed >= s.tail) continue;
    if (b.durable !== b.committed || (b.cached !== b.committed && b.cached !== 0)) {
      return (
        `block ${i}: T${b.committed}'s acknowledged change is neither in the log (tail at ` +
        `T${s.tail}) nor durable at home (T${b.durable})`
      );
    }
  }
  return undefined;
}
