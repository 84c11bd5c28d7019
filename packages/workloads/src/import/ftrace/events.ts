/** A jbd2 event's arguments: numbers by name; `dev` apart. */
export interface EventFields {
  /** "major,minor", or a name in traces of 2010 and before. */
  readonly device: string;
  readonly numbers: ReadonlyMap<string, number>;
}

interface Shape {
  /** Names every version prints. */
  readonly required: readonly string[];
  /** The transaction's name in this event. */
  readonly hex?: readonly string[];
}

const COMMIT: Shape = { required: ["transaction", "sync"] };

/**
 * include/trace/events/jbd2.h; fields that only some versions print are taken when they are
 * there.
 */
const SHAPES: ReadonlyMap<string, Shape> = new Map<string, Shape>([
  ["jbd2_checkpoint", { required: ["result"] }],
  ["jbd2_start_commit", COMMIT],
  ["jbd2_commit_locking", COMMIT],
  ["jbd2_commit_flushing", COMMIT],
  ["jbd2_commit_logging", COMMIT],
  ["jbd2_drop_transaction", COMMIT],
  ["jbd2_end_commit", { required: ["transaction", "sync", "head"] }],
  ["jbd2_submit_inode_data", { required: ["ino"] }],
  ["jbd2_handle_start", { required: ["tid", "type", "line_no", "requested_blocks"] }],
  [
    "jbd2_handle_extend",
    { required: ["tid", "type", "line_no", "buffer_credits", "requested_blocks"] },
  ],
  ["jbd2_handle_restart", { required: ["tid", "type", "line_no", "requested_blocks"] }],
  [
    "jbd2_handle_stats",
    { required: ["tid", "interval", "sync", "requested_blocks", "dirtied_blocks"] },
  ],
  [
    "jbd2_run_stats",
    {
      required: [
        "tid",
        "wait",
        "running",
        "locked",
        "flushing",
        "logging",
        "handle_count",
        "blocks",
        "blocks_logged",
      ],
    },
  ],
  [
    "jbd2_checkpoint_stats",
    { required: ["tid", "chp_time", "forced_to_close", "written", "dropped"] },
  ],
  ["jbd2_update_log_tail", { required: ["from", "to", "offset", "freed"] }],
  ["jbd2_write_superblock", { required: [], hex: ["write_flags", "write_op"] }],
  ["jbd2_lock_buffer_stall", { required: ["stall_ms"] }],
  ["jbd2_shrink_count", { required: ["nr_to_scan", "count"] }],
  ["jbd2_shrink_scan_enter", { required: ["nr_to_scan", "count"] }],
  ["jbd2_shrink_scan_exit", { required: ["nr_to_scan", "nr_shrunk", "count"] }],
]);

const SHRINK = new RegExp(
  "^dev (\\S+) shrink transaction (-?\\d+)-(-?\\d+)\\((-?\\d+)\\) freed (\\d+)" +
    "(?: scanned \\d+)? next transaction (-?\\d+)$",
);

const WHOLE = /^-?\d{1,15}$/;
const HEX = /^[\da-f]{1,8}$/;

/** True for events whose arguments `readEvent` knows. */
export function isKnownEvent(event: string): boolean {
  return SHAPES.has(event) || event === "jbd2_shrink_checkpoint_list";
}

/** What a known event's arguments look like, for error lines. */
export function shapeOf(event: string): string {
  const shape = SHAPES.get(event);
  const names = shape === undefined ? ["shrink transaction"] : shape.required;
  return `${event}: dev M,m ${names.map((name) => `${name} N`).join(" ")}`.trimEnd();
}

/**
 * Arguments of a known event; undefined when they do not fit. Negative ids (before 2022) become
 * unsigned.
 */
export function readEvent(event: string, args: string): EventFields | undefined {
  if (event === "jbd2_shrink_checkpoint_list") {
    const match = SHRINK.exec(args);
    return match === null
      ? undefined
      : { device: match[1]!, numbers: new Map([["freed", Number(match[5])]]) };
  }
  const shape = SHAPES.get(event);
  const words = args.split(/\s+/);
  if (shape === undefined || words[0] !== "dev" || words.length % 2 !== 0) {
    return undefined;
  }
  const numbers = new Map<string, number>();
  for (let i = 2; i < words.length; i += 2) {
    const name = words[i]!;
    const text = words[i + 1]!;
    const hex = shape.hex?.includes(name) === true;
    if (!(hex ? HEX : WHOLE).test(text)) {
      return undefined;
    }
    numbers.set(name, hex ? Number.parseInt(text, 16) : Number(text));
  }
  const complete = shape.required.every((name) => numbers.has(name));
  return complete && !words[1]!.endsWith(",") ? { device: words[1]!, numbers } : undefined;
}

const WAIT_EVENT = /^jbd2_wait_on_\w+$/;
const WAIT_MICROSECONDS = /(?:latency\(us\)\s*)?(\d{1,12})\s*(?:us)?$/;

/**
 * Patches seen in the field, never merged, trace a handle's waits as `jbd2_wait_on_credits`,
 * `jbd2_wait_on_transaction_locked`: microseconds at the end of the line; undefined for anything
 * else.
 */
export function waitMicroseconds(event: string, args: string): number | undefined {
  const match = WAIT_EVENT.test(event) ? WAIT_MICROSECONDS.exec(args) : null;
  return match === null ? undefined : Number(match[1]);
}
