/** The core numbers file-system blocks 0 ... 2^29-1; file systems above 2 TiB have larger ones. */
const LIMIT = 2 ** 29;

/**
 * Numbers for the core, by index of `blocks` (distinct or not). Blocks below 2^29 keep their
 * numbers; if any is larger, all are replaced by their rank, which keeps their order (and so the
 * direction of seeks).
 */
export function coreBlockNumbers(blocks: ArrayLike<number>): Uint32Array {
  let largest = 0;
  for (let i = 0; i < blocks.length; i++) {
    largest = Math.max(largest, blocks[i]!);
  }
  if (largest < LIMIT) {
    return Uint32Array.from(blocks);
  }
  const ranks = new Map<number, number>();
  for (const block of Float64Array.from(blocks).sort()) {
    if (!ranks.has(block)) {
      ranks.set(block, ranks.size);
    }
  }
  return Uint32Array.from(blocks, (block) => ranks.get(block)!);
}
