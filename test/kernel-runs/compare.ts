import { readFileSync } from "node:fs";
import { type RunOptions, run } from "jbdlab";

/** One row of runs.csv, as numbers where they are numbers. */
export interface MeasuredRun {
  readonly flushMs: number;
  readonly journalMib: number;
  readonly mode: string;
  readonly filesPerSecond: number;
  readonly commits: number;
  readonly spaceWaits: number;
  readonly spaceSeconds: number;
  readonly commitWaits: number;
  readonly commitWaitSeconds: number;
  readonly tailMoves: number;
}

/** The rows of runs.csv; the harmonic mean over iterations is fs_mark's files/s. */
export function measuredRuns(): MeasuredRun[] {
  const file = new URL("runs.csv", import.meta.url);
  const [header = "", ...lines] = readFileSync(file, "utf8").trim().split("\n");
  const names = header.split(",");
  return lines.map((line) => {
    const cells = line.split(",");
    const cell = (name: string) => cells[names.indexOf(name)] ?? "";
    return {
      flushMs: Number(cell("device_flush_ms")),
      journalMib: Number(cell("journal_mib")),
      mode: cell("mode"),
      filesPerSecond: Number(cell("hmean")),
      commits: Number(cell("commits")),
      spaceWaits: Number(cell("space_n")),
      spaceSeconds: Number(cell("space_ms")) / 1e3,
      commitWaits: Number(cell("commit_wait_n")),
      commitWaitSeconds: Number(cell("commit_wait_ms")) / 1e3,
      tailMoves: Number(cell("tail_moves")),
    };
  });
}

/** What the modes of the reference runs are called here. */
export const MODES: Readonly<Record<string, { rule: "v3" | "v4"; policy: string }>> = {
  v3: { rule: "v3", policy: "jbd2" },
  v4: { rule: "v4", policy: "jbd2" },
  bg25: { rule: "v4", policy: "threshold:low=0.25,high=0.25" },
  bg50: { rule: "v4", policy: "threshold:low=0.5,high=0.5" },
  bg75: { rule: "v4", policy: "threshold:low=0.75,high=0.75" },
  late: { rule: "v4", policy: "eager-cleanup" },
  skip: { rule: "v4", policy: "skip" },
  ride: { rule: "v4", policy: "ride" },
  ridehome: { rule: "v4", policy: "ridehome" },
};

export type SimulatedRun = Omit<MeasuredRun, "flushMs" | "journalMib" | "mode">;

/** The same run in the model. */
export async function simulate(measured: MeasuredRun, seed: number): Promise<SimulatedRun> {
  const mode = MODES[measured.mode];
  if (mode === undefined) throw new Error(`no mode ${measured.mode}`);
  const options: RunOptions = {
    setting: "kernel-runs",
    journal: `${measured.journalMib}MiB`,
    flushMs: measured.flushMs,
    seed,
    ...mode,
  };
  const result = await run(options);
  const { commits, spaceWaits, commitWaits, tailMovesBy } = result;
  return {
    filesPerSecond: result.filesPerSecond ?? 0,
    commits,
    spaceWaits: spaceWaits.count,
    spaceSeconds: spaceWaits.seconds,
    commitWaits: commitWaits.count,
    commitWaitSeconds: commitWaits.seconds,
    tailMoves: Object.values(tailMovesBy).reduce((a, b) => a + b, 0),
  };
}

export const mean = (values: readonly number[]) =>
  values.reduce((a, b) => a + b, 0) / values.length;
