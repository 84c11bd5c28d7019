/**
 * Bad input to a workload: one line that says what was expected and what was found. The CLI exits
 * 2.
 */
export class WorkloadError extends Error {
  override readonly name = "WorkloadError";

  constructor(
    /** The workload's name, or the text that was to name one. */
    readonly workload: string,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}
