/** A line of ftrace text. */
export interface TraceLine {
  /** Task name; may hold "-", "/" and be "<...>" when ftrace had forgotten it. */
  readonly comm: string;
  readonly pid: number;
  readonly cpu: number;
  /** Seconds when `ticks` is false. */
  readonly time: number;
  /** The trace clock counts without a unit (`counter`, `x86-tsc`). */
  readonly ticks: boolean;
  /** Event name without its subsystem; "" for an entry of the function tracer. */
  readonly event: string;
  readonly args: string;
}

/**
 * Prefix in all its forms: `comm-pid`, optional `(tgid)`, `[cpu]`, optional 4 ... 6 flag
 * characters (`noirq-info` leaves them out), time; `perf script` and trace-cmd print `comm pid
 * [cpu] time: subsystem:event:`.
 */
const LINE = new RegExp(
  [
    /^\s*(\S.{0,47}?)(?:-|\s+)(\d+)\s+/, // task and process id
    /(?:\(\s*(?:\d+|-+)\)\s+)?\[(\d+)\]\s+/, // thread group, CPU
    /(?:\S{4,6}\s+)?(\d+(?:\.\d+)?):\s+/, // flags, time
    /(?:(?:\w+:)?([A-Za-z_]\w*):(?:\s+|$))?(.*)$/, // event and arguments
  ]
    .map(({ source }) => source)
    .join(""),
);

/** Reads a trace line; undefined when it is none. */
export function parseTraceLine(text: string): TraceLine | undefined {
  const match = LINE.exec(text);
  // Without an event's colon only the function tracer's "function <-caller" is a whole line.
  if (match === null || (match[5] === undefined && !match[6]!.includes("<-"))) {
    return undefined;
  }
  const time = match[4]!;
  return {
    comm: match[1]!,
    pid: Number(match[2]),
    cpu: Number(match[3]),
    time: Number(time),
    ticks: !time.includes("."),
    event: match[5] ?? "",
    args: match[6]!.trimEnd(),
  };
}
