import { type BlockUse, blockUse } from "./block-use.js";
import { detectFormat, type Format } from "./detect.js";
import { type Diagnosis, diagnose } from "./diagnosis.js";
import { Distribution } from "./distribution.js";
import { Dumpe2fsParser, type Ext4Layout } from "./dumpe2fs.js";
import { type FsMarkLog, FsMarkParser } from "./fsmark-log.js";
import { type FtraceSummary, readFtrace } from "./ftrace.js";
import { HandlesParser, type RecordedHandles } from "./handles.js";
import { type History, HistoryParser, historyMeasurements } from "./history-2005.js";
import { ImportError } from "./import-error.js";
import { type JournalImage, readJournalImage } from "./jbd2-image.js";
import { parseFile, type ReadOptions } from "./lines.js";
import { type Measurements, NOTHING } from "./measurements.js";
import {
  type MmtestsRun,
  type MmtestsTable,
  MmtestsTableParser,
  readMmtestsRuns,
} from "./mmtests.js";
import { type ProcInfoFile, ProcInfoParser, procInfoMeasurements } from "./proc-info.js";

interface Inspected<F extends Format, C> {
  readonly file: string;
  readonly format: F;
  readonly content: C;
  /** How much of it was used: "consumed x of y ...". */
  readonly consumed: string;
  /** What it is and tells, in a sentence. */
  readonly sentence: string;
  /** One per journal that it tells of; empty when it tells of none. */
  readonly measurements: readonly Measurements[];
  /** One per measurement. */
  readonly diagnoses: readonly Diagnosis[];
  /** Journals and recorded handles only. */
  readonly blocks: BlockUse | undefined;
}

/** What a file holds, by format. */
export type Inspection =
  | Inspected<"jbd2-journal", JournalImage>
  | Inspected<"handles", RecordedHandles>
  | Inspected<"ftrace", FtraceSummary>
  | Inspected<"proc-info", ProcInfoFile>
  | Inspected<"fsmark-log", FsMarkLog>
  | Inspected<"mmtests-logs", readonly MmtestsRun[]>
  | Inspected<"mmtests-table", MmtestsTable>
  | Inspected<"history-2005", History>
  | Inspected<"dumpe2fs", Ext4Layout>;

export interface InspectOptions extends ReadOptions {
  /** Classes of blocks (see `readDumpe2fs`). */
  readonly layout?: Ext4Layout;
}

/**
 * Recognises a file by its content and reads it whole. Traces are streamed, however long.
 * Throws ImportError when it is nothing known or damaged.
 */
export async function inspect(file: string, options: InspectOptions = {}): Promise<Inspection> {
  const format = detectFormat(file);
  switch (format) {
    case "jbd2-journal":
      return inspectJournal(file, options.layout);
    case "handles":
      return inspectHandles(
        await parseFile(file, new HandlesParser(file), options),
        options.layout,
      );
    case "ftrace":
      return inspectTrace(await readFtrace(file, options));
    case "proc-info":
      return inspectInfo(await parseFile(file, new ProcInfoParser(file), options));
    case "fsmark-log":
      return inspectFsMark(await parseFile(file, new FsMarkParser(file), options));
    case "mmtests-logs":
      return inspectLogs(file, readMmtestsRuns(file));
    case "mmtests-table":
      return inspectTable(file, await parseFile(file, new MmtestsTableParser(file), options));
    case "history-2005":
      return inspectHistory(await parseFile(file, new HistoryParser(file), options));
    case "dumpe2fs":
      return inspectLayout(await parseFile(file, new Dumpe2fsParser(file), options));
  }
}

const bare = { measurements: [], diagnoses: [], blocks: undefined } as const;

function inspectJournal(file: string, layout?: Ext4Layout): Inspection {
  const content = readJournalImage(file);
  const { live, old, superblock, transactions } = content;
  const all = [...old.whole, ...live];
  const lists = all.map((transaction) => transaction.blocks);
  const blocks = new Distribution();
  const logged = new Distribution();
  for (const transaction of transactions) {
    blocks.add(transaction.blocks.length);
    logged.add(transaction.logBlocks);
  }
  const seconds = all.length > 1 ? all.at(-1)!.commitSeconds - all[0]!.commitSeconds : undefined;
  const measurements: Measurements = {
    ...NOTHING,
    seconds: seconds !== undefined && seconds > 0 ? seconds : undefined,
    commits: transactions.length,
    blocksPerTransaction: blocks.summary(),
    loggedPerTransaction: logged.summary(),
  };
  const state = superblock.start === 0 ? "clean" : `starting at block ${superblock.start}`;
  const fast = content.fastCommit?.commits ?? 0;
  const sentence =
    `a jbd2 journal of ${superblock.blocks} blocks of ${superblock.blockSize} bytes, ${state}: ` +
    `${live.length} live and ${old.whole.length} old transactions, ` +
    `${blocks.total} blocks in ${superblock.start === 0 ? "the old" : "the live"} ones` +
    `${fast === 0 ? "" : `, ${fast} fast commits`}`;
  return {
    ...bare,
    file,
    format: "jbd2-journal",
    content,
    consumed: content.consumed.text,
    sentence,
    measurements: [measurements],
    diagnoses: [diagnose(measurements)],
    blocks: blockUse(lists, fitting(file, lists, layout)),
  };
}

/** Refuses the layout of another file system. */
function fitting(
  file: string,
  lists: readonly Float64Array[],
  layout: Ext4Layout | undefined,
): Ext4Layout | undefined {
  for (const blocks of layout === undefined ? [] : lists) {
    const beyond = blocks.find((block) => block >= layout!.blocks);
    if (beyond !== undefined) {
      const expected = `blocks of the file system in ${layout!.file} (below ${layout!.blocks})`;
      throw new ImportError(file, undefined, expected, `block ${beyond}: another file system's`);
    }
  }
  return layout;
}

/**
 * Recorded handles have no transactions: as many as fill this many distinct blocks count as one.
 */
const VIRTUAL_TRANSACTION = 1000;

function* virtualTransactions(recording: RecordedHandles): Generator<Iterable<number>> {
  let blocks = new Set<number>();
  for (const thread of recording.threads) {
    for (let at = 0; at < thread.length; ) {
      const end = at + 2 + (thread[at]! & 0x7fff_ffff);
      for (let i = at + 2; i < end; i++) {
        blocks.add(recording.blocks[thread[i]! & 0x1fff_ffff]!);
      }
      at = end;
      if (blocks.size >= VIRTUAL_TRANSACTION) {
        yield blocks;
        blocks = new Set();
      }
    }
  }
  if (blocks.size > 0) {
    yield blocks;
  }
}

function inspectHandles(content: RecordedHandles, layout?: Ext4Layout): Inspection {
  const { file, handles, accesses, threads } = content;
  return {
    ...bare,
    file,
    format: "handles",
    content,
    consumed: content.consumed,
    sentence:
      `recorded handles: ${handles} in ${threads.length} threads, ` +
      `${(accesses / handles).toFixed(1)} accesses each, ` +
      `${content.blocks.length} distinct blocks ` +
      `(${VIRTUAL_TRANSACTION} distinct blocks counted as a transaction)`,
    blocks: blockUse(virtualTransactions(content), fitting(file, [content.blocks], layout)),
  };
}

function inspectTrace(content: FtraceSummary): Inspection {
  const { file, devices, otherEvents, jbd2Events } = content;
  const diagnoses = devices.map(diagnose);
  const names = otherEvents.slice(0, 3).map(({ name, count }) => `${count} ${name}`);
  const sentence =
    devices.length === 0
      ? `a trace of something else, nothing of jbd2 in it: ${names.join(", ")}`
      : devices
          .map(({ device }, i) => `journal of device ${device}: ${diagnoses[i]!.sentence}`)
          .join("; ");
  const consumed = content.consumed;
  const measurements = jbd2Events === 0 ? [] : devices;
  return { ...bare, file, format: "ftrace", content, consumed, sentence, measurements, diagnoses };
}

function inspectInfo(content: ProcInfoFile): Inspection {
  const { file, consumed, prints } = content;
  const measurements = prints.map(procInfoMeasurements);
  const diagnoses = measurements.map(diagnose);
  const last = prints.at(-1)!;
  const waits = last.meansMs.wait
    ? `handles waited ${last.meansMs.wait} ms for a transaction`
    : "how long handles waited is unknown (kernels without CONFIG_JBD2_DEBUG print 0)";
  const sentence = `/proc/fs/jbd2 info: ${diagnoses.at(-1)!.sentence}; ${waits}`;
  return {
    ...bare,
    file,
    format: "proc-info",
    content,
    consumed,
    sentence,
    measurements,
    diagnoses,
  };
}

function harmonic(values: readonly number[]): number {
  return values.length / values.reduce((sum, x) => sum + 1 / x, 0);
}

function inspectFsMark(content: FsMarkLog): Inspection {
  const { file, samples, firstIsOutlier, consumed } = content;
  const mean = harmonic(samples.map(({ filesPerSecond }) => filesPerSecond));
  const outlier = firstIsOutlier ? "; the first sample is an outlier" : "";
  const rate = `Hmean ${mean.toFixed(1)} files/s`;
  const sentence = `an fs_mark log: ${samples.length} samples, ${rate}${outlier}`;
  return { ...bare, file, format: "fsmark-log", content, consumed, sentence };
}

function inspectLogs(file: string, content: readonly MmtestsRun[]): Inspection {
  const runs = content.map(({ name, samples }) => {
    const means = [...samples].map(([n, rates]) => `${n} threads ${harmonic(rates).toFixed(1)}`);
    return `${name} ${means.join(", ")}`;
  });
  const logs = content.reduce((sum, { samples }) => sum + samples.size, 0);
  const sentence = `mmtests fs_mark logs, Hmean files/s: ${runs.join("; ")}`;
  const consumed = `consumed ${logs} of ${logs} logs`;
  return { ...bare, file, format: "mmtests-logs", content, consumed, sentence };
}

function inspectTable(file: string, content: MmtestsTable): Inspection {
  const changes = content.rows
    .filter(({ statistic }) => statistic === "Hmean")
    .map(({ threads, cells }) => {
      const others = cells.slice(1).map(({ percent, significant }) => {
        return `${percent > 0 ? "+" : ""}${percent} %${significant ? "*" : ""}`;
      });
      return `${threads} threads ${others.join(", ")}`;
    });
  const sentence =
    `an mmtests comparison of era ${content.era} (* = ${content.starTest}), ` +
    `Hmean against ${content.columns[0] ?? "the first column"}: ${changes.join("; ")}`;
  const n = content.rows.length;
  const consumed = `consumed ${n} of ${n} rows`;
  return { ...bare, file, format: "mmtests-table", content, consumed, sentence };
}

function inspectHistory(content: History): Inspection {
  const { file, consumed, stallShare, msPerHomeBlock } = content;
  const measurements = [historyMeasurements(content)];
  const diagnoses = measurements.map(diagnose);
  const home =
    msPerHomeBlock === undefined ? "" : `, ${msPerHomeBlock.toFixed(2)} ms per home block`;
  const sentence =
    `jbd history: ${(100 * stallShare).toFixed(1)} % of the time stalled${home}; ` +
    diagnoses[0]!.sentence;
  return {
    ...bare,
    file,
    format: "history-2005",
    content,
    consumed,
    sentence,
    measurements,
    diagnoses,
  };
}

function inspectLayout(content: Ext4Layout): Inspection {
  const { file, consumed, blocks, blockSize, groups, journalBlocks } = content;
  const log = journalBlocks === undefined ? "unknown" : `${journalBlocks} blocks`;
  const sentence =
    `the layout of an ext4 file system: ${blocks} blocks of ${blockSize} bytes, ` +
    `${groups} groups, log ${log}`;
  return { ...bare, file, format: "dumpe2fs", content, consumed, sentence };
}
