import { closeSync, createReadStream } from "node:fs";
import type { Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { badGzip, gunzip, isGzip, openFile, readAt, readWhole, unreadable } from "./bytes.js";
import { ImportError, quoted } from "./import-error.js";

/**
 * A longer line is no text of any format here; without a bound a binary file would be read as
 * one line.
 */
export const LONGEST_LINE = 65536;

const CHUNK = 1024 * 1024;

/** What every text importer is: told each line, then asked for its result. */
export interface LineParser<T> {
  /** `number` counts from 1; the text has no line end. Throws ImportError. */
  line(text: string, number: number): void;
  /** Called once, after the last line. */
  finish(ending: Ending): T;
}

/** How the text ended. */
export interface Ending {
  readonly lines: number;
  /** The last line had no line end: it may have been cut off. */
  readonly unterminated: boolean;
}

export interface ReadOptions {
  /** Called about once per MiB of the file as it is on disk. */
  readonly onProgress?: (readBytes: number, totalBytes: number) => void;
  /** Stops reading; the promise rejects with its reason. */
  readonly signal?: AbortSignal;
}

/**
 * Cuts chunks into lines. Bytes are taken as Latin-1: all formats are ASCII, names are only
 * compared.
 */
export class LineSplitter {
  #carry = "";
  #lines = 0;

  constructor(
    private readonly file: string,
    private readonly onLine: (text: string, number: number) => void,
  ) {}

  push(chunk: Uint8Array): void {
    const bytes = Buffer.from(chunk.buffer, chunk.byteOffset, chunk.byteLength);
    const text = this.#carry + bytes.toString("latin1");
    const nul = bytes.includes(0);
    let from = 0;
    for (let to = text.indexOf("\n"); to >= 0; to = text.indexOf("\n", from)) {
      this.#emit(text.slice(from, text.charCodeAt(to - 1) === 13 && to > from ? to - 1 : to), nul);
      from = to + 1;
    }
    this.#carry = text.slice(from);
    this.#check(this.#carry, nul);
  }

  end(): Ending {
    const unterminated = this.#carry !== "";
    if (unterminated) {
      this.#emit(this.#carry, true);
      this.#carry = "";
    }
    return { lines: this.#lines, unterminated };
  }

  #check(text: string, nul: boolean): void {
    if (text.length > LONGEST_LINE) {
      const place = { line: this.#lines + 1 };
      const expected = `lines of at most ${LONGEST_LINE} bytes`;
      throw new ImportError(this.file, place, expected, "a longer one (is this a text file?)");
    }
    if (nul && text.includes("\0")) {
      throw new ImportError(this.file, { line: this.#lines + 1 }, "text", "a zero byte");
    }
  }

  #emit(text: string, nul: boolean): void {
    this.#check(text, nul);
    this.#lines++;
    this.onLine(text, this.#lines);
  }
}

/**
 * Parses a text file, plain or gzip, in bounded memory.
 * Throws ImportError when it cannot be read or understood.
 */
export async function parseFile<T>(
  file: string,
  parser: LineParser<T>,
  options: ReadOptions = {},
): Promise<T> {
  const { fd, size } = openFile(file);
  const head = new Uint8Array(2);
  const headBytes = readAt(file, fd, head, 0);
  closeSync(fd);
  const splitter = new LineSplitter(file, (text, number) => parser.line(text, number));
  let done = 0;
  const { signal } = options;
  const raw = createReadStream(file, { highWaterMark: CHUNK, ...(signal && { signal }) });
  raw.on("data", (chunk) => {
    done += chunk.length;
    options.onProgress?.(done, size);
  });
  raw.pause();
  const gzip = isGzip(head.subarray(0, headBytes));
  const stream: Readable = gzip ? unpack(file, raw) : raw;
  try {
    for await (const chunk of stream) {
      splitter.push(chunk as Uint8Array);
    }
  } catch (error) {
    if (error instanceof ImportError || signal?.aborted) {
      throw error;
    }
    throw gzip ? badGzip(file, error) : unreadable(file, error);
  } finally {
    raw.destroy();
  }
  return parser.finish(splitter.end());
}

function unpack(file: string, raw: Readable): Readable {
  const gunzipper = createGunzip();
  raw.on("error", (error) => gunzipper.destroy(unreadable(file, error)));
  return raw.pipe(gunzipper);
}

/** As `parseFile`, at once: plain files in bounded memory, gzip files uncompressed in memory. */
export function parseFileSync<T>(file: string, parser: LineParser<T>): T {
  const { fd, size } = openFile(file);
  const splitter = new LineSplitter(file, (text, number) => parser.line(text, number));
  try {
    const chunk = new Uint8Array(CHUNK);
    let offset = 0;
    for (let n = readAt(file, fd, chunk, 0); n > 0; n = readAt(file, fd, chunk, offset)) {
      if (offset === 0 && Number.isFinite(size) && isGzip(chunk.subarray(0, n))) {
        splitter.push(gunzip(file, readWhole(file, fd, size)));
        break;
      }
      splitter.push(chunk.subarray(0, n));
      offset += n;
    }
  } finally {
    closeSync(fd);
  }
  return parser.finish(splitter.end());
}

/** Parses text already at hand; `parser` knows the name that errors show. */
export function parseText<T>(file: string, text: string | Uint8Array, parser: LineParser<T>): T {
  const splitter = new LineSplitter(file, (line, number) => parser.line(line, number));
  splitter.push(typeof text === "string" ? Buffer.from(text, "latin1") : text);
  return parser.finish(splitter.end());
}

/** An error about a line of text. */
export function badLine(file: string, number: number, expected: string, text: string): ImportError {
  const found = text.trim() === "" ? "an empty line" : quoted(text.trim());
  return new ImportError(file, { line: number }, expected, found);
}
