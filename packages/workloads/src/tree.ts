import type { Random } from "./random.js";

/**
 * Sizes of a source tree's files: bytes at these shares (assumed: rounded quantiles of a kernel
 * source tree), with straight lines between them.
 */
const SIZE_SHARES = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.99, 1];
const SIZE_BYTES = [0, 600, 1600, 4600, 12_000, 30_000, 150_000, 600_000];

/** Mean length of a name in a source tree. */
export const TREE_NAME_LENGTH = 12;

/** Size of one file, bytes. */
export function treeFileBytes(random: Random): number {
  const share = random.unit();
  let i = 1;
  while (SIZE_SHARES[i]! < share) {
    i++;
  }
  const part = (share - SIZE_SHARES[i - 1]!) / (SIZE_SHARES[i]! - SIZE_SHARES[i - 1]!);
  return Math.round(SIZE_BYTES[i - 1]! + part * (SIZE_BYTES[i]! - SIZE_BYTES[i - 1]!));
}

/** Number of files of one directory: uniform from 1 to 2 x mean - 1. */
export function treeDirectoryFiles(random: Random, mean: number): number {
  return 1 + random.below(2 * mean - 1);
}

/**
 * Depth of the directory that follows one at `depth` (0 = the top) when a tree is walked in order:
 * one level down, or up to any level above, never deeper than `deepest`.
 */
export function nextDepth(random: Random, depth: number, deepest: number): number {
  return 1 + random.below(Math.min(depth + 1, deepest));
}
