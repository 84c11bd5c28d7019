import { BLOCK_CLASSES, type BlockClass, type Ext4Layout } from "./dumpe2fs.js";

/** A block and in how many transactions it was. */
export interface HotBlock {
  readonly block: number;
  readonly transactions: number;
  /** With a layout only. */
  readonly blockClass: BlockClass | undefined;
}

/** How a sequence of transactions uses blocks. */
export interface BlockUse {
  readonly transactions: number;
  /** Blocks summed over transactions. */
  readonly logged: number;
  readonly distinct: number;
  /** The ten that are in most transactions; ties by block number. */
  readonly hottest: readonly HotBlock[];
  /** How many transactions later a block is logged again: pairs in ascending order of distance. */
  readonly redirtied: readonly { readonly distance: number; readonly count: number }[];
  /** With a layout only. */
  readonly byClass:
    | Readonly<Record<BlockClass, { readonly distinct: number; readonly logged: number }>>
    | undefined;
}

const HOTTEST = 10;

/** Counts the blocks of transactions given in order. */
export function blockUse(
  transactions: Iterable<Iterable<number>>,
  layout?: Pick<Ext4Layout, "classOf">,
): BlockUse {
  const seen = new Map<number, { count: number; last: number }>();
  const distances = new Map<number, number>();
  let logged = 0;
  let index = 0;
  for (const blocks of transactions) {
    for (const block of blocks) {
      const before = seen.get(block);
      if (before?.last === index) {
        continue;
      }
      logged++;
      if (before === undefined) {
        seen.set(block, { count: 1, last: index });
      } else {
        const distance = index - before.last;
        distances.set(distance, (distances.get(distance) ?? 0) + 1);
        before.count++;
        before.last = index;
      }
    }
    index++;
  }
  const hottest = [...seen]
    .sort(([a, x], [b, y]) => y.count - x.count || a - b)
    .slice(0, HOTTEST)
    .map(([block, { count }]) => ({
      block,
      transactions: count,
      blockClass: layout?.classOf(block),
    }));
  return {
    transactions: index,
    logged,
    distinct: seen.size,
    hottest,
    redirtied: [...distances]
      .map(([distance, count]) => ({ distance, count }))
      .sort((a, b) => a.distance - b.distance),
    byClass: layout === undefined ? undefined : countClasses(seen, layout),
  };
}

function countClasses(
  seen: ReadonlyMap<number, { count: number }>,
  layout: Pick<Ext4Layout, "classOf">,
): NonNullable<BlockUse["byClass"]> {
  const counts = Object.fromEntries(
    BLOCK_CLASSES.map((name) => [name, { distinct: 0, logged: 0 }]),
  ) as Record<BlockClass, { distinct: number; logged: number }>;
  for (const [block, { count }] of seen) {
    const entry = counts[layout.classOf(block)];
    entry.distinct++;
    entry.logged += count;
  }
  return counts;
}
