import { Random } from "./random.js";
import type { WorkloadContext } from "./workload.js";

/**
 * Groups of the threads' top directories: Orlov spreads directories of the top level, so each gets
 * a flex group of its own while there are any. The first one is the geometry's first group.
 */
export function topGroups(context: WorkloadContext, threads: number): number[] {
  const { geometry } = context;
  const flexes = Math.ceil(geometry.groups / geometry.flexBgSize);
  const random = new Random(context.seed, 0);
  const first = Math.floor(geometry.firstGroup / geometry.flexBgSize);
  const order = Array.from({ length: flexes }, (_, i) => i).filter((i) => i !== first);
  for (let i = order.length - 1; i > 0; i--) {
    const j = random.below(i + 1);
    [order[i], order[j]] = [order[j]!, order[i]!];
  }
  order.unshift(first);
  return Array.from({ length: threads }, (_, i) => order[i % flexes]! * geometry.flexBgSize);
}
