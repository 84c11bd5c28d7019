/** Exit codes of the command. */
export const Exit = { Ok: 0, Internal: 1, BadInput: 2, Interrupted: 130, Terminated: 143 } as const;

/**
 * Something the user gave makes no sense. `message` is one line; the command prints it and exits
 * with 2.
 */
export class InputError extends Error {
  override readonly name = "InputError";
}

// Errors of the sibling packages that blame the input; named, because they also arrive from worker
// threads.
const BAD_INPUT = new Set(["InputError", "PolicyError", "WorkloadError", "ImportError"]);

/** Codes of CoreError that are about the program itself; all others are about the world it got. */
const INTERNAL = new Set(["assert", "stuck"]);

/** True when the error blames what the user gave, not the program. */
export function isBadInput(error: unknown): error is Error {
  if (!(error instanceof Error)) return false;
  if (error.name === "CoreError") return !INTERNAL.has((error as { code?: string }).code ?? "");
  return BAD_INPUT.has(error.name);
}

/**
 * Does something with what was read from a file; what goes wrong then is the file's fault. Throws
 * InputError.
 */
export async function blaming<T>(
  file: string,
  expected: string,
  work: () => T | Promise<T>,
): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (isBadInput(error)) throw error;
    throw new InputError(`${file}: expected ${expected}, found a damaged one: ${oneLine(error)}`);
  }
}

/** One line for any thrown thing. */
export function oneLine(error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return text.split("\n")[0] ?? "";
}
