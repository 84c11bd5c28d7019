import {
  COMMIT_PHASES,
  type Inspection,
  type Measurements,
  type Summary,
  TASK_KINDS,
} from "@jbdlab/workloads";
import { columns } from "./columns.js";

const UNKNOWN = "unknown";

const figure = (value: number) =>
  Number.isInteger(value) || Math.abs(value) >= 1000 ? value.toFixed(0) : value.toPrecision(3);

/** "mean 7.2, half 6.9, 99 % 12, longest 14 ms (233 samples)", as far as it is known. */
function spread(summary: Summary | undefined, unit: string): string {
  if (summary === undefined) return UNKNOWN;
  const { count, mean, p50, p99, max } = summary;
  const parts = [`mean ${figure(mean)}`];
  if (p50 !== undefined) parts.push(`half below ${figure(p50)}`);
  if (p99 !== undefined) parts.push(`99 % below ${figure(p99)}`);
  if (max !== undefined) parts.push(`most ${figure(max)}`);
  return `${parts.join(", ")}${unit === "" ? "" : ` ${unit}`} (${count} samples)`;
}

function transactionLines(m: Measurements): [string, string][] {
  return [
    ["time observed", m.seconds === undefined ? UNKNOWN : `${figure(m.seconds)} s`],
    ["commits", m.commits === undefined ? UNKNOWN : String(m.commits)],
    [
      "maximum transaction",
      m.maxTransactionBlocks === undefined ? UNKNOWN : `${m.maxTransactionBlocks} blocks`,
    ],
    ["handles per transaction", spread(m.handlesPerTransaction, "")],
    ["blocks per transaction", spread(m.blocksPerTransaction, "")],
    ["logged per transaction", spread(m.loggedPerTransaction, "")],
    ["commit", spread(m.commitMs, "ms")],
    ...COMMIT_PHASES.map((phase): [string, string] => [
      `  ${phase}`,
      spread(m.phasesMs[phase], "ms"),
    ]),
    [
      "commits somebody waits for",
      m.syncShare === undefined ? UNKNOWN : `${(100 * m.syncShare).toFixed(1)} %`,
    ],
  ];
}

function checkpointLines({ checkpoints: c, tailUpdates: tail }: Measurements): [string, string][] {
  const lines: [string, string][] = [
    ["checkpoints", c === undefined ? UNKNOWN : `${c.count}, ${c.timed} of them took time`],
  ];
  if (c !== undefined) {
    lines.push(["  time each", spread(c.timeMs, "ms")]);
    lines.push(["  waited for a commit", String(c.forced)]);
  }
  if (tail === undefined) return [...lines, ["tail moves", UNKNOWN]];
  const by = TASK_KINDS.filter((kind) => tail.byTask[kind] > 0);
  const who = by.map((kind) => `${tail.byTask[kind]} by ${kind}`).join(", ");
  return [
    ...lines,
    ["tail moves", `${tail.count}${who === "" ? "" : `: ${who}`}`],
    ["  blocks freed each", spread(tail.freed, "")],
  ];
}

/** What handles waited for, as far as the source tells; what it does not tell stays unknown. */
function stallLines(m: Measurements): [string, string][] {
  const ms = (total: number | undefined) => (total === undefined ? UNKNOWN : `${figure(total)} ms`);
  const { checkpoints: c, tailUpdates, deviceFlushMs, superblockWriteMs } = m;
  const total = c?.timeMs?.total;
  const each =
    deviceFlushMs === undefined ? undefined : deviceFlushMs.value + (superblockWriteMs?.value ?? 0);
  const moves = tailUpdates?.byTask.handle;
  const tail = each === undefined || moves === undefined ? undefined : each * moves;
  return [
    ["stalls for log space", ""],
    ["  waiting for commits", ms(total === undefined ? undefined : c?.forcedMs)],
    ["  home writes", ms(total === undefined ? undefined : total - (c?.forcedMs ?? 0))],
    ["  moving the tail", ms(tail)],
    ...Object.entries(m.waitsMs).map(([name, wait]): [string, string] => [
      `waits told by ${name}`,
      spread(wait, "ms"),
    ]),
  ];
}

function deviceLines(m: Measurements): [string, string][] {
  const estimates = [
    ["cache flush", m.deviceFlushMs],
    ["superblock write with FUA", m.superblockWriteMs],
  ] as const;
  return estimates.map(([name, e]) => [
    name,
    e === undefined
      ? UNKNOWN
      : `${e.exact ? "" : "at most "}${figure(e.value)} ms (${e.count} samples; ${e.how})`,
  ]);
}

function measurementText(m: Measurements): string[] {
  const title = m.device === undefined ? [] : [`journal of device ${m.device}`];
  const lines = [
    ...transactionLines(m),
    ...checkpointLines(m),
    ...stallLines(m),
    ...deviceLines(m),
  ];
  return [...title, ...columns(lines, "ll").map((line) => `  ${line}`)];
}

function blockText({ blocks }: Inspection): string[] {
  if (blocks === undefined) return [];
  const again = blocks.redirtied.reduce((sum, { count }) => sum + count, 0);
  const share = (count: number) => `${((100 * count) / Math.max(1, again)).toFixed(1)} %`;
  const near = blocks.redirtied
    .slice(0, 8)
    .map(({ distance, count }) => [`  ${distance} later`, String(count), share(count)]);
  const lines = [
    `blocks: ${blocks.logged} in ${blocks.transactions} transactions, ${blocks.distinct} distinct`,
    `logged again: ${again}; how many transactions later`,
    ...columns(near, "lrr"),
    "hottest blocks",
    ...columns(
      blocks.hottest.map(({ block, transactions, blockClass }) => [
        `  ${block}`,
        `in ${transactions} transactions`,
        blockClass ?? "",
      ]),
      "rrl",
    ),
  ];
  if (blocks.byClass === undefined) {
    return [
      ...lines,
      "classes of blocks: unknown (give the dumpe2fs output of the file system, too)",
    ];
  }
  const classes = Object.entries(blocks.byClass)
    .filter(([, { logged }]) => logged > 0)
    .sort(([, a], [, b]) => b.logged - a.logged)
    .map(([name, { distinct, logged }]) => [`  ${name}`, String(logged), `${distinct} distinct`]);
  return [...lines, "logged blocks by class", ...columns(classes, "lrr")];
}

function geometryText(inspection: Inspection): string[] {
  if (inspection.format !== "jbd2-journal") return [];
  const { superblock: s } = inspection.content;
  return columns(
    Object.entries(s)
      .filter(([, value]) => ["number", "string", "boolean"].includes(typeof value))
      .map(([name, value]) => [`  ${name}`, String(value)]),
    "ll",
  );
}

/** A handle's longest wait is the checkpoint it ran into (+20 ms in the 2005 table). */
function identityText(inspection: Inspection): string[] {
  if (inspection.format !== "history-2005") return [];
  const rows = inspection.content.identity.map(
    ({ checkpointTid, checkpointMs, transactionTid, waitMs }) => [
      `  checkpoint of T${checkpointTid}: ${checkpointMs} ms`,
      `longest wait in T${transactionTid}: ${waitMs} ms`,
      `${waitMs - checkpointMs >= 0 ? "+" : ""}${waitMs - checkpointMs} ms`,
    ],
  );
  return ["writing checkpoints beside the longest wait after them", ...columns(rows, "lrr")];
}

/** What a file is and tells, for people. */
export function inspectionText(inspection: Inspection): string {
  const lines = [
    `${inspection.file}: ${inspection.format}; ${inspection.consumed}`,
    ...geometryText(inspection),
    ...inspection.measurements.flatMap(measurementText),
    ...blockText(inspection),
    ...identityText(inspection),
    `=> ${inspection.sentence}`,
  ];
  return `${lines.join("\n")}\n`;
}
