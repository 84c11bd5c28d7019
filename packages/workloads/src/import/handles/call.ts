import type { TraceLine } from "../ftrace/line.js";

/** What a recorded event does to a handle. */
export type Operation = "S" | "W" | "N" | "U" | "F" | "E";

/** A recorded jbd2 call. */
export interface Call {
  readonly operation: Operation;
  /** Credits, block or the sync flag. */
  readonly value: number;
}

/** ext4 block numbers have 48 bits. */
const LIMIT = 2 ** 48;
const SHORT = /^([SWNUFE]) (\d{1,15})(?: (\d+))?$/;
const FUNCTIONS: ReadonlyMap<string, Operation> = new Map([
  ["jbd2__journal_start", "S"],
  ["jbd2_journal_start_reserved", "S"],
  ["jbd2_journal_get_write_access", "W"],
  ["jbd2_journal_get_create_access", "N"],
  ["jbd2_journal_get_undo_access", "U"],
  ["jbd2_journal_forget", "F"],
  ["jbd2_journal_revoke", "F"],
  ["jbd2_journal_stop", "E"],
]);
const ARGUMENT: Readonly<Record<Operation, RegExp>> = {
  S: /\bcredits=(0x[\da-f]+|\d{1,15})\b/,
  W: /\bblock=(0x[\da-f]+|\d{1,15})\b/,
  N: /\bblock=(0x[\da-f]+|\d{1,15})\b/,
  U: /\bblock=(0x[\da-f]+|\d{1,15})\b/,
  F: /\bblock=(0x[\da-f]+|\d{1,15})\b/,
  E: /\bsync=(0x[\da-f]+|\d{1,15})\b/,
};

/** The jbd2 call of a trace line; undefined for any other event. */
export function parseCall(line: TraceLine): Call | "malformed" | undefined {
  const short = SHORT.exec(line.args);
  const operation = FUNCTIONS.get(line.event) ?? (short?.[1] as Operation | undefined);
  if (operation === undefined) {
    return undefined;
  }
  if (short !== null) {
    const right = short[1] === operation && (short[3] === undefined || operation === "S");
    return right ? call(operation, short[2]!) : "malformed";
  }
  const named = ARGUMENT[operation].exec(line.args);
  return named === null ? "malformed" : call(operation, named[1]!);
}

function call(operation: Operation, text: string): Call | "malformed" {
  const value = Number(text);
  return value < LIMIT ? { operation, value } : "malformed";
}
