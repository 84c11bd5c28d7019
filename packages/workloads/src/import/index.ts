/**
 * Readers of what a machine gives: journals, recorded handles, traces, /proc info, benchmark
 * logs.
 */
export { type BlockUse, blockUse, type HotBlock } from "./block-use.js";
export { type ByteSource, memorySource } from "./bytes.js";
export { detectFormat, FORMATS, type Format } from "./detect.js";
export { type Complaint, type Diagnosis, diagnose } from "./diagnosis.js";
export { Distribution, type Summary } from "./distribution.js";
export {
  BLOCK_CLASSES,
  type BlockClass,
  Dumpe2fsParser,
  type Ext4Layout,
  readDumpe2fs,
} from "./dumpe2fs.js";
export {
  type CallTimes,
  type FsMarkCall,
  type FsMarkCommand,
  type FsMarkLog,
  FsMarkParser,
  type FsMarkSample,
  readFsMarkLog,
} from "./fsmark-log.js";
export { FtraceParser, type FtraceSummary, readFtrace } from "./ftrace.js";
export { HandlesParser, type RecordedHandles } from "./handles.js";
export { HANDLES_PARAMETERS, type HandlesWorkload, handlesWorkload } from "./handles-workload.js";
export {
  type History,
  type HistoryCheckpoint,
  type HistoryIdentity,
  HistoryParser,
  type HistoryTransaction,
  historyMeasurements,
  readHistory,
} from "./history-2005.js";
export { ImportError, type Place } from "./import-error.js";
export { type Inspection, type InspectOptions, inspect } from "./inspect.js";
export {
  type BrokenTransaction,
  type ChecksumKind,
  type Consumed,
  type FastCommitArea,
  type JournalImage,
  type JournalSuperblock,
  type JournalTransaction,
  type OldTransactions,
  parseJournalImage,
  readJournalImage,
} from "./jbd2-image.js";
export { JOURNAL_PARAMETERS, type JournalWorkload, journalWorkload } from "./journal-workload.js";
export type { LineFit } from "./line-fit.js";
export {
  type Ending,
  type LineParser,
  parseFile,
  parseFileSync,
  parseText,
  type ReadOptions,
} from "./lines.js";
export {
  type CheckpointMeasurements,
  COMMIT_PHASES,
  type CommitPhase,
  type Estimate,
  type HandleMeasurements,
  type Measurements,
  TASK_KINDS,
  type TailMeasurements,
  type TaskKind,
} from "./measurements.js";
export {
  compareRuns,
  isMmtestsFolder,
  MMTESTS_ERAS,
  type MmtestsCell,
  type MmtestsEra,
  type MmtestsRow,
  type MmtestsRun,
  type MmtestsTable,
  MmtestsTableParser,
  printTable,
  readMmtestsRuns,
  readMmtestsTable,
} from "./mmtests.js";
export {
  type ProcInfo,
  type ProcInfoFile,
  ProcInfoParser,
  procInfoDifference,
  procInfoMeasurements,
  readProcInfo,
} from "./proc-info.js";
