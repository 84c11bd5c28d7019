import {
  type ParameterSet,
  type ParameterValues,
  parameterNamed,
  readValue,
  resolveParameters,
} from "../parameters.js";

/** The `key=value` options after a file name, as typed values. Throws WorkloadError. */
export function replayOptions<P extends ParameterSet>(
  workload: string,
  parameters: P,
  options: Readonly<Record<string, string>> = {},
): ParameterValues<P> {
  const given = Object.entries(options).map(([name, text]) => [
    name,
    readValue(parameterNamed(workload, parameters, name), text),
  ]);
  return resolveParameters(workload, parameters, Object.fromEntries(given));
}
