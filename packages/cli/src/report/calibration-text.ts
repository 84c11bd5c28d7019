import type { Profile, ProfileFact } from "../lab/calibrate/profile.js";
import { columns } from "./columns.js";

function interval({ known, low, high }: ProfileFact): string {
  if (known === "bounded") return `at most ${high}`;
  return low === undefined ? "" : `${low} to ${high}`;
}

/** What was measured, what is assumed, what cannot be told. */
export function calibrationText(profile: Profile, written: string | undefined): string {
  const head = ["parameter", "value", "known", "interval", "how", "file"];
  const rows = profile.facts.map((fact) => [
    fact.parameter,
    fact.value ?? "-",
    fact.known,
    interval(fact),
    fact.how,
    fact.file ?? "",
  ]);
  const where = written === undefined ? [] : [`written: ${written}; use it with --profile`];
  return `${[...columns([head, ...rows], "llllll"), ...where].join("\n")}\n`;
}
