/** Why the core stopped. `code` is stable, `message` says what was found. */
export type CoreErrorCode =
  | "config"
  | "record"
  | "credits"
  | "too-large"
  | "limit"
  | "journal-aborted"
  | "stuck"
  | "assert"
  | "workload"
  | "policy";

export class CoreError extends Error {
  override readonly name = "CoreError";
  readonly code: CoreErrorCode;
  constructor(code: CoreErrorCode, message: string) {
    super(message);
    this.code = code;
  }
}

/** The core's error numbers (assembly/layout.ts, ERR_*), in their order; index 0 is no error. */
const ERRORS: readonly (readonly [CoreErrorCode, (argument: number) => string])[] = [
  ["assert", (n) => `internal error ${n}`],
  ["assert", (n) => `internal error ${n}`],
  ["credits", (n) => `a handle used ${n} credits, more than it asked for`],
  ["limit", (n) => `more than ${n} events at once`],
  ["limit", (n) => `more than ${n} block requests at once`],
  ["limit", (n) => `more than ${n} transactions alive at once`],
  ["limit", (n) => `out of memory with ${n} buffers or dirty pages alive`],
  ["limit", (n) => `more than ${n} inodes with dirty pages at once`],
  ["journal-aborted", (n) => `no space in the log and nothing to wait for (${n} blocks left)`],
  ["record", (n) => `the workload wrote a record that is none (word ${n})`],
  ["limit", (n) => `the policy has ${n} commands waiting; the background worker cannot keep up`],
  ["config", () => "the configuration makes no world"],
  ["journal-aborted", (n) => `the log is full at position ${n}`],
  ["too-large", (n) => `a handle of ${n} credits does not fit into a maximum transaction`],
  ["stuck", () => "nothing will ever happen again, but handles are waiting"],
  ["assert", (n) => `invariant ${n} of assembly/audit.ts does not hold`],
];

export function coreError(number: number, argument: number): CoreError {
  const entry = ERRORS[number] ?? ERRORS[0];
  if (entry === undefined) return new CoreError("assert", `internal error ${number}`);
  return new CoreError(entry[0], entry[1](argument));
}
