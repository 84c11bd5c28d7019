/** Safe policies that are worth trying, as rows of a comparison. Bounds are not among them. */
export const CANDIDATES: readonly string[] = [
  "adaptive",
  "ail-push",
  "ail-push+eager-cleanup",
  "eager-cleanup",
  "eager-on-completion",
  "threshold",
  "eager-cleanup+threshold",
  "threshold:waits=false",
  "spread",
  "bigger-journal",
  "bigger-journal:factor=4",
];
