import { closeSync, fstatSync, openSync, readSync } from "node:fs";
import { gunzipSync } from "node:zlib";
import { ImportError } from "./import-error.js";

/** Uncompressed bytes that a gzip file may hold when it must be in memory as a whole. */
export const GUNZIP_LIMIT = 1024 * 1024 * 1024;

/** A file, gzip already undone, read at any place. */
export interface ByteSource {
  readonly file: string;
  /** Bytes; Infinity for a device, whose size is known only by reading. */
  readonly size: number;
  /**
   * `length` bytes at `offset`; a view that the next read may overwrite. Throws ImportError past
   * the end.
   */
  read(offset: number, length: number): Uint8Array;
  close(): void;
}

/** What the system said when a file could not be opened or read, as an ImportError. */
export function unreadable(file: string, cause: unknown): ImportError {
  const code = (cause as NodeJS.ErrnoException).code;
  const words: Record<string, string> = {
    ENOENT: "no such file",
    EACCES: "permission denied",
    EISDIR: "a directory",
    ENOTDIR: "a path through something that is no directory",
    ENAMETOOLONG: "a name too long for the system",
  };
  const found = words[code ?? ""] ?? `an error of the system (${code ?? String(cause)})`;
  return new ImportError(file, undefined, "a readable file", found, { cause });
}

/** Opens a regular file or a device; refuses directories and empty files. */
export function openFile(file: string): { fd: number; size: number } {
  let fd: number;
  try {
    fd = openSync(file, "r");
  } catch (cause) {
    throw unreadable(file, cause);
  }
  const stat = fstatSync(fd);
  if (stat.isDirectory()) {
    closeSync(fd);
    throw new ImportError(file, undefined, "a file", "a directory");
  }
  if (stat.isFile() && stat.size === 0) {
    closeSync(fd);
    throw new ImportError(file, undefined, "a file with content", "an empty file");
  }
  return { fd, size: stat.isFile() ? stat.size : Number.POSITIVE_INFINITY };
}

/** Fills as much of `into` as the file has from `offset` on; returns the bytes read. */
export function readAt(file: string, fd: number, into: Uint8Array, offset: number): number {
  let done = 0;
  try {
    while (done < into.length) {
      const n = readSync(fd, into, done, into.length - done, offset + done);
      if (n === 0) {
        break;
      }
      done += n;
    }
  } catch (cause) {
    throw unreadable(file, cause);
  }
  return done;
}

/** True for the first two bytes of a gzip member. */
export function isGzip(head: Uint8Array): boolean {
  return head.length >= 2 && head[0] === 0x1f && head[1] === 0x8b;
}

/** zlib's complaint about a gzip file, as an ImportError. */
export function badGzip(file: string, cause: unknown): ImportError {
  const code = (cause as NodeJS.ErrnoException).code;
  if (code === "ERR_BUFFER_TOO_LARGE") {
    const most = `at most ${GUNZIP_LIMIT} bytes unpacked (gunzip larger files first)`;
    return new ImportError(file, undefined, most, "more", { cause });
  }
  const text = cause instanceof Error ? cause.message : String(cause);
  return new ImportError(file, undefined, "an intact gzip file", text, { cause });
}

/** Uncompresses a whole gzip file in memory, its checksum verified. */
export function gunzip(file: string, packed: Uint8Array): Uint8Array {
  try {
    return gunzipSync(packed, { maxOutputLength: GUNZIP_LIMIT });
  } catch (cause) {
    throw badGzip(file, cause);
  }
}

/** The whole content of an open regular file. */
export function readWhole(file: string, fd: number, size: number): Uint8Array {
  if (size > GUNZIP_LIMIT) {
    throw new ImportError(file, undefined, `at most ${GUNZIP_LIMIT} bytes`, `${size}`);
  }
  const bytes = new Uint8Array(size);
  return bytes.subarray(0, readAt(file, fd, bytes, 0));
}

/** Bytes in memory as a source; `file` is the name that errors show. */
export function memorySource(file: string, bytes: Uint8Array): ByteSource {
  return {
    file,
    size: bytes.length,
    read(offset, length) {
      if (offset + length > bytes.length) {
        throw shortFile(file, offset, length, bytes.length);
      }
      return bytes.subarray(offset, offset + length);
    },
    close() {},
  };
}

function shortFile(file: string, offset: number, length: number, size: number): ImportError {
  const wanted = `${length} bytes`;
  return new ImportError(file, { offset }, wanted, `the end of the file at byte ${size}`);
}

/** Neighbouring blocks are read together: one system call per this many bytes. */
const WINDOW = 256 * 1024;

/** Opens `file` for random access; a gzip file is uncompressed in memory. The caller closes it. */
export function openBytes(file: string): ByteSource {
  const { fd, size } = openFile(file);
  try {
    const head = new Uint8Array(2);
    const n = readAt(file, fd, head, 0);
    if (n === 0) {
      throw new ImportError(file, undefined, "a file with content", "an empty device");
    }
    if (Number.isFinite(size) && isGzip(head.subarray(0, n))) {
      const bytes = gunzip(file, readWhole(file, fd, size));
      closeSync(fd);
      if (bytes.length === 0) {
        throw new ImportError(file, undefined, "content in the gzip file", "none");
      }
      return memorySource(file, bytes);
    }
  } catch (error) {
    closeQuietly(fd);
    throw error;
  }
  return windowedSource(file, fd, size);
}

function closeQuietly(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Already closed: the first error is the one to report.
  }
}

function windowedSource(file: string, fd: number, size: number): ByteSource {
  const window = new Uint8Array(WINDOW);
  let start = 0;
  let filled = 0;
  return {
    file,
    size,
    read(offset, length) {
      if (length > WINDOW) {
        const own = new Uint8Array(length);
        const n = readAt(file, fd, own, offset);
        if (n < length) {
          throw shortFile(file, offset, length, offset + n);
        }
        return own;
      }
      if (offset < start || offset + length > start + filled) {
        start = offset;
        filled = readAt(file, fd, window, offset);
        if (filled < length) {
          throw shortFile(file, offset, length, offset + filled);
        }
      }
      return window.subarray(offset - start, offset - start + length);
    },
    close() {
      closeSync(fd);
    },
  };
}
