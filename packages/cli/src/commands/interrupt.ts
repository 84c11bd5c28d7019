import { Exit } from "../lab/errors.js";

/**
 * Ctrl-C and SIGTERM: the first asks the work to stop and keeps what is finished, the second ends
 * at once.
 */
export interface Interrupts {
  readonly signal: AbortSignal;
  /** What to exit with; undefined when nothing interrupted. */
  exitCode(): number | undefined;
  /** Gives the signals back to the system. */
  end(): void;
}

export function watchInterrupts(): Interrupts {
  const controller = new AbortController();
  let code: number | undefined;
  const on = (exit: number) => () => {
    if (code !== undefined) process.exit(exit);
    code = exit;
    process.stderr.write("\nstopping; what is finished is kept (once more to stop at once)\n");
    controller.abort();
  };
  const interrupt = on(Exit.Interrupted);
  const terminate = on(Exit.Terminated);
  process.on("SIGINT", interrupt);
  process.on("SIGTERM", terminate);
  return {
    signal: controller.signal,
    exitCode: () => code,
    end() {
      process.off("SIGINT", interrupt);
      process.off("SIGTERM", terminate);
    },
  };
}
