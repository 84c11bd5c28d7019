/**
 * The laboratory as a library: `run` one world, `sweep` many, `compare` results, `checkCrash` for
 * the verdict alone. Everything the command does is made of these.
 */
export { type CalibrateOptions, calibrate } from "./lab/calibrate/calibrate.js";
export { type Profile, type ProfileFact, readProfile } from "./lab/calibrate/profile.js";
export { CANDIDATES } from "./lab/candidates.js";
export type { Cell, Row } from "./lab/cells.js";
export { type CrashReport, checkCrash } from "./lab/check-crash.js";
export { type Comparison, compare } from "./lab/compare.js";
export {
  type CrashSearch,
  type CrashSearchOptions,
  type Finding,
  replayCrash,
  searchCrash,
} from "./lab/crash/search.js";
export { type ChosenDevice, DEVICES, type DeviceEntry, parseDevice } from "./lab/devices.js";
export { InputError, isBadInput } from "./lab/errors.js";
export { type Exploration, type ExploreOptions, explore } from "./lab/exhaustive/explore.js";
export { type ExplainOptions, type Explanation, explain } from "./lab/explain.js";
export { type InfoDifference, type Inspections, inspectFiles } from "./lab/inspect-files.js";
export type { RunOptions } from "./lab/options.js";
export type { ProgressReport } from "./lab/progress.js";
export type { Fact, Source } from "./lab/provenance.js";
export {
  type Answer,
  type Recommendation,
  type Recommendations,
  type RecommendOptions,
  recommend,
} from "./lab/recommend.js";
export { dominantStall, type RunResult, throughput, worstVerdict } from "./lab/result.js";
export { RULE_FACTS, type RuleFacts } from "./lab/rules.js";
export { run } from "./lab/run.js";
export { SETTINGS, type Setting } from "./lab/settings.js";
export { mergeShards, parseShard, type Shard } from "./lab/shard.js";
export type { Estimate, Gap } from "./lab/statistics.js";
export {
  DEFAULT_JOURNALS,
  DEFAULT_ROWS,
  DEFAULT_SEEDS,
  type SweepOptions,
  sweep,
} from "./lab/sweep.js";
export type { Failure, SweepResult } from "./lab/sweep-result.js";
export { type Trial, type TuneOptions, type Tuning, tune } from "./lab/tune.js";
export type { Figures } from "./lab/validate/figures.js";
export { type ReferenceRun, readRuns, referenceRuns } from "./lab/validate/reference.js";
export {
  type ValidateOptions,
  type Validation,
  type ValidationRow,
  validate,
} from "./lab/validate/validate.js";
export { type ResolvedWorld, resolveWorld } from "./lab/world.js";
export { type ChartOptions, sweepChart } from "./report/chart.js";
export { cellsCsv, runsCsv, stallsCsv } from "./report/csv.js";
export { type HtmlChart, reportHtml } from "./report/html.js";
export { mailText } from "./report/mail-text.js";
export { answerSentence } from "./report/sentence.js";
export { gapSpec, stallSpec } from "./report/specs.js";
export { throughputSpec, toSvg } from "./report/svg.js";
export { sweepText } from "./report/sweep-text.js";
export { sweepTable } from "./report/table.js";
