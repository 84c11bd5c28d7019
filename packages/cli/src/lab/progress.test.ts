import { describe, expect, it } from "vitest";
import { Progress } from "./progress.js";

describe("progress", () => {
  it("counts finished runs by their work and running ones by their handles", () => {
    const progress = new Progress([100, 100, 200]);
    expect(progress.report([0, 0, 0])).toMatchObject({ share: 0, runsDone: 0, secondsLeft: null });
    progress.finished(0, 300);
    // 3 handles per unit of work: 150 handles of the third are 50 units.
    expect(progress.report([300, 0, 150])).toMatchObject({
      share: 150 / 400,
      runsDone: 1,
      runsWanted: 3,
      handles: 450,
    });
  });

  it("a running run never counts as done, whatever it has done", () => {
    const progress = new Progress([100]);
    expect(progress.report([1e9]).share).toBeLessThan(1);
    progress.finished(0, 1e9);
    expect(progress.report([1e9])).toMatchObject({ share: 1, secondsLeft: 0 });
  });
});
