import { closeSync, statSync } from "node:fs";
import { constants, gunzipSync } from "node:zlib";
import { badGzip, isGzip, openFile, readAt } from "./bytes.js";
import { startsDumpe2fs } from "./dumpe2fs.js";
import { parseTraceLine } from "./ftrace/line.js";
import { parseCall } from "./handles/call.js";
import { isHistoryHeader } from "./history-2005.js";
import { ImportError, quoted } from "./import-error.js";
import { isJournalHead } from "./jbd2-image.js";
import { isTableRow } from "./mmtests/table.js";
import { isMmtestsFolder } from "./mmtests.js";
import { isProcInfoHeader } from "./proc-info.js";

/** Formats that `inspect` reads; recognised by content, gzip or not. */
export const FORMATS = [
  "jbd2-journal",
  "handles",
  "ftrace",
  "proc-info",
  "fsmark-log",
  "mmtests-logs",
  "mmtests-table",
  "history-2005",
  "dumpe2fs",
] as const;
export type Format = (typeof FORMATS)[number];

const HEAD_BYTES = 64 * 1024;
/** Compressed bytes looked at: deflate packs at most 1032 : 1. */
const PACKED_BYTES = 16 * 1024;
const PACKED_LIMIT = 32 * 1024 * 1024;

/**
 * What a file (or a folder of mmtests logs) is. Throws ImportError when it is none of `FORMATS`.
 */
export function detectFormat(path: string): Format {
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory()) {
    if (isMmtestsFolder(path)) {
      return "mmtests-logs";
    }
    throw new ImportError(path, undefined, "a file, or a folder of mmtests logs", "a directory");
  }
  const head = headOf(path);
  if (isJournalHead(head)) {
    return "jbd2-journal";
  }
  const lines = Buffer.from(head).toString("latin1").split(/\r?\n/);
  const format = head.includes(0) ? undefined : formatOfLines(lines);
  if (format === undefined) {
    const known = "a journal, trace, /proc info, fs_mark or mmtests output, history or dumpe2fs";
    const found = head.includes(0) ? "binary data of another kind" : quoted(firstWords(lines));
    throw new ImportError(path, undefined, known, found);
  }
  return format;
}

function headOf(path: string): Uint8Array {
  const { fd } = openFile(path);
  try {
    const bytes = new Uint8Array(HEAD_BYTES);
    const head = bytes.subarray(0, readAt(path, fd, bytes, 0));
    return isGzip(head) ? unpackHead(path, head.subarray(0, PACKED_BYTES)) : head;
  } finally {
    closeSync(fd);
  }
}

function unpackHead(path: string, packed: Uint8Array): Uint8Array {
  const options = { finishFlush: constants.Z_SYNC_FLUSH, maxOutputLength: PACKED_LIMIT };
  let head: Uint8Array;
  try {
    head = gunzipSync(packed, options).subarray(0, HEAD_BYTES);
  } catch (cause) {
    throw badGzip(path, cause);
  }
  if (head.length === 0) {
    throw new ImportError(path, undefined, "content in the gzip file", "none");
  }
  return head;
}

function firstWords(lines: readonly string[]): string {
  return lines.find((line) => line.trim() !== "")?.trim() ?? "";
}

/** The first line that only one format has decides. */
function formatOfLines(lines: readonly string[]): Format | undefined {
  let comment: Format | undefined;
  // The last line of the head may be cut.
  for (const text of lines.length > 1 ? lines.slice(0, -1) : lines) {
    const words = text.replace(/^(?:\s*>)+ ?/, "").trim();
    if (words.startsWith("#")) {
      comment ??= /^# (?:tracer|entries-in-buffer)/.test(words) ? "ftrace" : undefined;
      continue;
    }
    const format = formatOfLine(words);
    if (format !== undefined) {
      return format;
    }
  }
  return comment;
}

function formatOfLine(words: string): Format | undefined {
  if (words.startsWith("FSUse%")) {
    return "fsmark-log";
  }
  if (isProcInfoHeader(words)) {
    return "proc-info";
  }
  if (isHistoryHeader(words)) {
    return "history-2005";
  }
  if (startsDumpe2fs(words)) {
    return "dumpe2fs";
  }
  if (isTableRow(words)) {
    return "mmtests-table";
  }
  const line = parseTraceLine(words);
  if (line === undefined) {
    return undefined;
  }
  return parseCall(line) === undefined ? "ftrace" : "handles";
}
