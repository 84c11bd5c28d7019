import type { ProgressReport } from "../lab/progress.js";

/** Shows progress on standard error: a bar on a terminal, now and then a line elsewhere. */
export interface ProgressDisplay {
  update(report: ProgressReport): void;
  end(): void;
}

const SECONDS_BETWEEN_LINES = 10;

function left({ secondsLeft }: ProgressReport): string {
  if (secondsLeft === null) return "";
  const seconds = Math.ceil(secondsLeft);
  const text = seconds < 120 ? `${seconds} s` : `${Math.ceil(seconds / 60)} min`;
  return `about ${text} left`;
}

const millions = (handles: number) => `${(handles / 1e6).toFixed(1)} M handles`;

export async function showProgress(): Promise<ProgressDisplay> {
  return process.stderr.isTTY ? bar() : lines();
}

async function bar(): Promise<ProgressDisplay> {
  const { default: progress } = await import("cli-progress");
  const format = "{bar} {percentage}% | {runs} runs | {handles} | {left}";
  const display = new progress.SingleBar(
    { format, barsize: 24, clearOnComplete: true, hideCursor: true, stream: process.stderr },
    progress.Presets.legacy,
  );
  display.start(100, 0, { runs: "0", handles: millions(0), left: "" });
  return {
    update: (report) =>
      display.update(Math.floor(100 * report.share), {
        runs: `${report.runsDone}/${report.runsWanted}`,
        handles: millions(report.handles),
        left: left(report),
      }),
    end: () => display.stop(),
  };
}

function lines(): ProgressDisplay {
  let next = SECONDS_BETWEEN_LINES;
  return {
    update(report) {
      if (report.elapsedSeconds < next) return;
      next = report.elapsedSeconds + SECONDS_BETWEEN_LINES;
      const percent = Math.floor(100 * report.share);
      const runs = `${report.runsDone}/${report.runsWanted} runs`;
      process.stderr.write(`${percent} %, ${runs}, ${millions(report.handles)}, ${left(report)}\n`);
    },
    end() {},
  };
}
