import type { Rule } from "@jbdlab/core-wasm";

/** What a cleanup rule is, for help and lists. */
export interface RuleFacts {
  readonly rule: Rule;
  readonly kernel: string;
  readonly cleanup: string;
  readonly rejoined: string;
  readonly crashSafe: boolean;
}

export const RULE_FACTS: readonly RuleFacts[] = [
  {
    rule: "v0",
    kernel: "up to 6.4",
    cleanup: "stops at the first busy buffer",
    rejoined: "busy",
    crashSafe: true,
  },
  {
    rule: "v1",
    kernel: "6.5-rc (b98dba273a0e)",
    cleanup: "skips busy buffers, scans all",
    rejoined: "busy",
    crashSafe: true,
  },
  {
    rule: "v2",
    kernel: "6.5 (46f881b5b175)",
    cleanup: "skips busy buffers, scans all",
    rejoined: "not checked",
    crashSafe: false,
  },
  {
    rule: "v3",
    kernel: "373ac521799d",
    cleanup: "stops at the first busy buffer",
    rejoined: "not checked",
    crashSafe: false,
  },
  {
    rule: "v4",
    kernel: "590a809ff743: 6.6 and stable",
    cleanup: "stops at the first busy buffer",
    rejoined: "busy",
    crashSafe: true,
  },
];
