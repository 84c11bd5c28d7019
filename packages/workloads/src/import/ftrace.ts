import { DeviceTrace } from "./ftrace/device.js";
import { isKnownEvent, readEvent, shapeOf, waitMicroseconds } from "./ftrace/events.js";
import { parseTraceLine, type TraceLine } from "./ftrace/line.js";
import { ImportError } from "./import-error.js";
import { badLine, type Ending, type LineParser, parseFile, type ReadOptions } from "./lines.js";
import type { Measurements } from "./measurements.js";

/** Names of other events that are counted one by one. */
const MOST_NAMES = 1000;

/** What a trace tells. */
export interface FtraceSummary {
  readonly file: string;
  readonly lines: number;
  /** Events of every kind. */
  readonly events: number;
  /** Events of jbd2 that were understood. */
  readonly jbd2Events: number;
  /** Other events by name, the most frequent first. */
  readonly otherEvents: readonly { readonly name: string; readonly count: number }[];
  /** Events the kernel says it lost or overwrote. */
  readonly lostEvents: number;
  /** "seconds", or "ticks" for clocks without a unit: then no time is known. */
  readonly clock: "seconds" | "ticks";
  /** One per journal device, in order of appearance. */
  readonly devices: readonly Measurements[];
  /** "consumed 233 of 233 events". */
  readonly consumed: string;
}

/**
 * Parses ftrace text of jbd2 events: kernels since 2010, with and without irq columns, tgid,
 * trace-cmd and perf script prefixes, several devices mixed. Events of other subsystems are
 * counted by name. Constant memory. Throws ImportError with the line on a jbd2 event or a line
 * that cannot be understood.
 */
export class FtraceParser implements LineParser<FtraceSummary> {
  readonly #devices = new Map<string, DeviceTrace>();
  readonly #others = new Map<string, number>();
  #jbd2Events = 0;
  #otherEvents = 0;
  #lost = 0;
  #ticks = false;
  #lastBad: ImportError | undefined;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    if (this.#lastBad !== undefined) {
      throw this.#lastBad;
    }
    if (text.startsWith("#")) {
      this.#lost += overwritten(text);
      return;
    }
    const line = parseTraceLine(text);
    if (line === undefined) {
      const lost = lostEvents(text);
      this.#lost += lost ?? 0;
      if (lost === undefined && !isDecoration(text)) {
        const expected = "a line of ftrace text (task-pid [cpu] flags time: event: ...)";
        this.#lastBad = badLine(this.file, number, expected, text);
      }
      return;
    }
    this.#ticks ||= line.ticks;
    this.#event(line, number);
  }

  #event(line: TraceLine, number: number): void {
    const known = isKnownEvent(line.event);
    const fields = known ? readEvent(line.event, line.args) : undefined;
    if (fields !== undefined) {
      this.#jbd2Events++;
      this.#device(fields.device).take(line, fields);
      return;
    }
    if (known) {
      const found = `${line.event}: ${line.args}`;
      this.#lastBad = badLine(this.file, number, shapeOf(line.event), found);
      return;
    }
    const waited = waitMicroseconds(line.event, line.args);
    const device = /^dev (\S+)/.exec(line.args)?.[1] ?? [...this.#devices.keys()].at(-1);
    if (waited !== undefined && device !== undefined) {
      this.#jbd2Events++;
      this.#device(device).wait(line.event, waited);
      return;
    }
    this.#otherEvents++;
    const name = line.event === "" ? "(function tracer)" : line.event;
    if (this.#others.has(name) || this.#others.size < MOST_NAMES) {
      this.#others.set(name, (this.#others.get(name) ?? 0) + 1);
    }
  }

  #device(name: string): DeviceTrace {
    let device = this.#devices.get(name);
    if (device === undefined) {
      device = new DeviceTrace(name);
      this.#devices.set(name, device);
    }
    return device;
  }

  finish(ending: Ending): FtraceSummary {
    const understood = this.#jbd2Events + this.#otherEvents;
    if (this.#lastBad !== undefined && (!ending.unterminated || understood === 0)) {
      throw this.#lastBad;
    }
    const events = understood + (this.#lastBad === undefined ? 0 : 1);
    if (events === 0) {
      const found = `none in ${ending.lines} lines`;
      throw new ImportError(this.file, undefined, "at least one trace event", found);
    }
    const otherEvents = [...this.#others]
      .map(([name, count]) => ({ name, count }))
      .sort((a, b) => b.count - a.count);
    return {
      file: this.file,
      lines: ending.lines,
      events,
      jbd2Events: this.#jbd2Events,
      otherEvents,
      lostEvents: this.#lost,
      clock: this.#ticks ? "ticks" : "seconds",
      devices: [...this.#devices.values()].map((device) => device.measurements()),
      consumed: this.#consumed(events, ending.unterminated),
    };
  }

  #consumed(events: number, unterminated: boolean): string {
    const notes: string[] = [];
    const unknown = [...this.#others].filter(([name]) => name.startsWith("jbd2_"));
    const unknownEvents = unknown.reduce((sum, [, count]) => sum + count, 0);
    if (unknownEvents > 0) {
      const names = unknown.slice(0, 3).map(([name]) => name);
      notes.push(`${unknownEvents} are unknown events of jbd2 (${names.join(", ")})`);
    }
    if (this.#otherEvents > unknownEvents) {
      notes.push(`${this.#otherEvents - unknownEvents} are not jbd2's`);
    }
    if (this.#lastBad !== undefined) {
      notes.push("the last line is cut off");
    } else if (unterminated) {
      notes.push("the last line has no line end and may be cut off");
    }
    if (this.#lost > 0) {
      notes.push(`${this.#lost} more were lost while tracing`);
    }
    const why = notes.length === 0 ? "" : `; ${notes.join(", ")}`;
    return `consumed ${this.#jbd2Events} of ${events} events${why}`;
  }
}

/** Reads a trace, plain or gzip, in bounded memory, however long. */
export function readFtrace(file: string, options?: ReadOptions): Promise<FtraceSummary> {
  return parseFile(file, new FtraceParser(file), options);
}

/** `# entries-in-buffer/entries-written: 233/400   #P:2`: what the ring buffer overwrote. */
function overwritten(text: string): number {
  const match = /^# entries-in-buffer\/entries-written: (\d{1,15})\/(\d{1,15})\b/.exec(text);
  return match === null ? 0 : Math.max(0, Number(match[2]) - Number(match[1]));
}

function lostEvents(text: string): number | undefined {
  const match = /^\s*CPU:?\s?\d+:? \[(?:LOST )?(\d{1,15}) EVENTS(?: DROPPED)?\]/.exec(text);
  return match === null ? undefined : Number(match[1]);
}

/** Lines that tools print between events: stack traces, trace-cmd's header, blanks. */
function isDecoration(text: string): boolean {
  return /^\s*(?:$|=>|<(?:user )?stack trace>|version = |cpus=\d|CPU \d+ is empty)/.test(text);
}
