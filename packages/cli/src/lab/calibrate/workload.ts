import type { FsMarkLog, Inspection } from "@jbdlab/workloads";
import type { ProfileFact, ProfileOptions } from "./profile.js";

export interface WorkloadEstimate {
  readonly options: Pick<ProfileOptions, "workload" | "threads">;
  readonly facts: readonly ProfileFact[];
}

/** A create of the reference kernel runs, where cpuScale is 1, before directories fill up. */
const REFERENCE_CREATE_NS = 57_000;

/**
 * The workload that the files show: recorded handles and journals replay themselves; an fs_mark log
 * names its command, and its fastest sample bounds the CPU time of a create.
 */
export function estimateWorkload(inspections: readonly Inspection[]): WorkloadEstimate {
  const recorded = inspections.find(({ format }) => format === "handles");
  if (recorded !== undefined) return replay("handles", recorded.file, "every recorded handle");
  const log = inspections.find((each) => each.format === "fsmark-log");
  if (log?.format === "fsmark-log") return fromLog(log.content);
  const journal = inspections.find(({ format }) => format === "jbd2-journal");
  if (journal !== undefined) return replay("journal", journal.file, "the log's transactions");
  return {
    options: {},
    facts: [
      {
        parameter: "workload",
        value: undefined,
        known: "unidentifiable",
        how: "needs recorded handles, a journal image or an fs_mark log; --workload",
      },
    ],
  };
}

function replay(kind: string, file: string, what: string): WorkloadEstimate {
  const workload = `${kind}:${file}`;
  const how = `${what}, replayed; think times are assumed`;
  return {
    options: { workload },
    facts: [{ parameter: "workload", value: workload, known: "measured", how, file }],
  };
}

function fromLog({ file, samples, command }: FsMarkLog): WorkloadEstimate {
  const first = samples[0];
  const threads = command?.threads ?? 1;
  const files =
    command?.filesPerIteration ?? Math.max(1, Math.round((first?.files ?? 1) / threads));
  const fastest = Math.max(...samples.map(({ filesPerSecond }) => filesPerSecond));
  const createNs = (1e9 * threads) / fastest;
  const scale = Math.min(100, Number((createNs / REFERENCE_CREATE_NS).toPrecision(3)));
  const given = {
    files,
    iterations: samples.length,
    size: command?.sizeBytes ?? first?.sizeBytes ?? 0,
    directories: command?.directories,
    filesPerDirectory: command?.filesPerDirectory,
    threads,
    sync: command?.syncMode,
    cpuScale: scale,
  };
  const pairs = Object.entries(given).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key}=${value}`],
  );
  const stated = command === undefined ? "no command in the log: from its samples" : "its command";
  return {
    options: { workload: ["fsmark", ...pairs].join(",") },
    facts: [
      {
        parameter: "workload",
        value: `fsmark, ${threads} threads, ${files} files of ${given.size} bytes`,
        known: "measured",
        how: stated,
        file,
      },
      {
        parameter: "cpuScale",
        value: String(scale),
        known: "bounded",
        high: String(scale),
        how: `at most: fastest sample, ${fastest.toFixed(0)} files/s, over the reference's 57 us`,
        file,
      },
    ],
  };
}
