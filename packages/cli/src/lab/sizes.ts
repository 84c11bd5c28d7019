import { InputError } from "./errors.js";
import { formatBytes, parseBytes } from "./units.js";

/** Blocks of the smallest journal that jbd2 accepts (JBD2_MIN_JOURNAL_BLOCKS). */
export const MIN_JOURNAL_BLOCKS = 1024;
/** Blocks of the largest journal the core can hold. */
export const MAX_JOURNAL_BLOCKS = 4194304;
export const BLOCK_BYTES = 4096;

/**
 * Journal size in blocks of a size such as "16MiB". Throws InputError for sizes that make no
 * journal.
 */
export function parseJournal(text: string): number {
  const bytes = parseBytes(text, "--journal");
  const blocks = bytes / BLOCK_BYTES;
  if (!Number.isInteger(blocks)) {
    throw new InputError(
      `--journal ${text}: expected a multiple of the block size (4KiB), found ${bytes} bytes`,
    );
  }
  if (blocks < MIN_JOURNAL_BLOCKS || blocks > MAX_JOURNAL_BLOCKS) {
    const limits = `${MIN_JOURNAL_BLOCKS} blocks (4MiB) to ${MAX_JOURNAL_BLOCKS} (16GiB)`;
    throw new InputError(`--journal ${text}: expected ${limits}, found ${blocks} blocks`);
  }
  return blocks;
}

/**
 * Journal sizes in blocks, ascending, without repetitions, of a list ("4MiB,10MiB"), a range of
 * powers of two ("4MiB..256MiB") or both. Throws InputError.
 */
export function parseJournals(text: string): number[] {
  const sizes = new Set<number>();
  for (const part of text.split(",")) {
    const ends = part.split("..");
    if (ends.length > 2) {
      throw new InputError(`--journal ${part}: expected a range such as 4MiB..256MiB`);
    }
    const from = parseJournal(ends[0] ?? "");
    const to = parseJournal(ends[1] ?? ends[0] ?? "");
    if (to < from) {
      throw new InputError(`--journal ${part}: the range ends below its start`);
    }
    for (let blocks = from; blocks <= to; blocks *= 2) sizes.add(blocks);
    if (ends.length === 2 && !sizes.has(to)) {
      const reached = formatJournal(Math.max(...[...sizes].filter((blocks) => blocks < to)));
      throw new InputError(
        `--journal ${part}: a range doubles from its start; it reaches ${reached}, not ${ends[1]}`,
      );
    }
  }
  return [...sizes].sort((a, b) => a - b);
}

/** "16MiB": which parseJournal reads back. */
export function formatJournal(blocks: number): string {
  return formatBytes(blocks * BLOCK_BYTES);
}
