import { WorkloadError } from "../error.js";

/** Where in a file something was found: a line of text (from 1) or a byte offset (from 0). */
export type Place =
  | { readonly line: number }
  | { readonly offset: number; readonly block?: number }
  | undefined;

function placed(file: string, place: Place): string {
  if (place === undefined) {
    return file;
  }
  if ("line" in place) {
    return `${file}:${place.line}`;
  }
  const block = place.block === undefined ? "" : ` (block ${place.block})`;
  return `${file}: byte ${place.offset}${block}`;
}

/**
 * Text of a file inside an error line: quoted, control characters escaped, at most 60
 * characters.
 */
export function quoted(text: string): string {
  return JSON.stringify(text.length > 60 ? `${text.slice(0, 60)}...` : text);
}

/**
 * A file could not be understood. `message` is one line: file, line or byte, what was expected,
 * what was found. The command prints it and exits 2.
 */
export class ImportError extends WorkloadError {
  /** As given by the caller. */
  readonly file: string;
  /** From 1; text formats only. */
  readonly line: number | undefined;
  /** Byte offset from 0 in the uncompressed file; binary formats only. */
  readonly offset: number | undefined;
  readonly expected: string;
  readonly found: string;

  constructor(file: string, place: Place, expected: string, found: string, options?: ErrorOptions) {
    super(file, `${placed(file, place)}: expected ${expected}, found ${found}`, options);
    this.file = file;
    this.line = place !== undefined && "line" in place ? place.line : undefined;
    this.offset = place !== undefined && "offset" in place ? place.offset : undefined;
    this.expected = expected;
    this.found = found;
  }
}
