import type { TaskKind } from "../measurements.js";

/** Who a task is, by its name. */
export function taskKind(comm: string): TaskKind {
  if (comm.startsWith("jbd2/")) {
    return "kjournald";
  }
  if (comm.startsWith("kworker") || comm.startsWith("kswapd")) {
    return "kworker";
  }
  return comm === "<...>" ? "unknown" : "handle";
}

/** A count for each kind of task. */
export const nobody = (): Record<TaskKind, number> => ({
  kjournald: 0,
  handle: 0,
  kworker: 0,
  unknown: 0,
});
