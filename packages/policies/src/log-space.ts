import type { PolicyView } from "@jbdlab/core-wasm";

/** Blocks jbd2 keeps back (jbd2.h: jbd2_log_space_left). */
export const RESERVED_BLOCKS = 32;

/** Log blocks between tail and head: what a recovery would read, XFS's and InnoDB's "age". */
export function usedBlocks(view: PolicyView): number {
  return view.journalBlocks - view.free;
}

/** Used blocks at which handles begin to wait: space left falls below one maximum transaction. */
export function waitLimit(view: PolicyView): number {
  return Math.max(1, view.journalBlocks - RESERVED_BLOCKS - view.maxTransaction);
}

/** A share of the log in whole blocks. */
export function logShare(view: PolicyView, share: number): number {
  return Math.floor(view.journalBlocks * share);
}

/** A share of a maximum transaction in whole blocks, at least 1. */
export function transactionShare(view: PolicyView, share: number): number {
  return Math.max(1, Math.floor(view.maxTransaction * share));
}
