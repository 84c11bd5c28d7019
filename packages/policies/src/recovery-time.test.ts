import { describe, expect, it } from "vitest";
import { replaySeconds } from "./recovery-time.js";
import { probe } from "./testing.js";

describe("recovery-time", () => {
  it("estimates replay as reading the log once and writing each block home", () => {
    expect(replaySeconds(1000, 1000, 500)).toBe(3);
  });

  it("drains while replay would take longer than the target, and not otherwise", () => {
    // 1000 blocks in use: 0.01 s to read, 0.1 s to write.
    const view = { free: 3096, dirtyBuffers: 9 };
    const step = ["dropClean(skip, 4096)", "moveTail(256)", "writeHome(256)"];
    expect(probe("recovery-time:target=0.1").at("commitFinished", view)).toEqual(step);
    expect(probe("recovery-time:target=0.1").at("homeWriteCompleted", view)).toEqual(step);
    expect(probe("recovery-time:target=0.12").at("commitFinished", view)).toEqual([]);
  });
});
