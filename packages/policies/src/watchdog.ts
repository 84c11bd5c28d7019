import { createContext, Script } from "node:vm";

const context = createContext({ call: undefined as (() => void) | undefined });
const script = new Script("call()");

/** Thrown by `callWithin` when time is up. */
export class TimeUp extends Error {
  override readonly name = "TimeUp";
}

/**
 * Calls `work` and stops it after `ms` milliseconds of wall time, also inside a loop that never
 * ends. Costs about 0.1 ms per call, so it is for code one does not trust. Throws what `work`
 * throws, or TimeUp.
 */
export function callWithin(ms: number, work: () => void): void {
  const outer = context.call;
  context.call = work;
  try {
    script.runInContext(context, { timeout: ms });
  } catch (error) {
    if ((error as { code?: unknown } | null)?.code === "ERR_SCRIPT_EXECUTION_TIMEOUT") {
      throw new TimeUp(`not done after ${ms} ms`);
    }
    throw error;
  } finally {
    context.call = outer;
  }
}
