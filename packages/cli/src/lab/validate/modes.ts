import type { Rule } from "@jbdlab/core-wasm";
import { nearest } from "@jbdlab/policies";
import { InputError } from "../errors.js";

/** What the modes of the reference kernel runs are called here. */
export const MODES: Readonly<Record<string, { readonly rule: Rule; readonly policy: string }>> = {
  v3: { rule: "v3", policy: "jbd2" },
  v4: { rule: "v4", policy: "jbd2" },
  skip: { rule: "v4", policy: "skip" },
  late: { rule: "v4", policy: "eager-cleanup" },
  bg25: { rule: "v4", policy: "threshold:low=0.25,high=0.25" },
  bg50: { rule: "v4", policy: "threshold:low=0.5,high=0.5" },
  bg75: { rule: "v4", policy: "threshold:low=0.75,high=0.75" },
  "late+bg50": { rule: "v4", policy: "eager-cleanup+threshold:low=0.5,high=0.5" },
  ride: { rule: "v4", policy: "ride" },
  ridehome: { rule: "v4", policy: "ridehome" },
};

/** Rule and policy of a mode: one of MODES, or any other background threshold `bg<percent>`. */
export function modeNamed(name: string, run: string): { rule: Rule; policy: string } {
  const parts = name.split("+");
  const known = MODES[name];
  if (known !== undefined) return known;
  const policies = parts.map((part) => {
    const percent = /^bg(\d{1,2})$/.exec(part)?.[1];
    if (percent !== undefined && Number(percent) > 0) {
      return `threshold:low=${Number(percent) / 100},high=${Number(percent) / 100}`;
    }
    const mode = MODES[part];
    if (mode === undefined || mode.rule !== "v4") {
      const near = nearest(part, Object.keys(MODES));
      throw new InputError(
        `run ${run}: unknown mode ${JSON.stringify(name)}; did you mean ${near}?`,
      );
    }
    return mode.policy;
  });
  return { rule: "v4", policy: policies.filter((policy) => policy !== "jbd2").join("+") || "jbd2" };
}
