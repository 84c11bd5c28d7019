import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";
import { MAINLINE_SETTINGS } from "./settings.js";
import { fakeView, RecordedAnswers } from "./testing.js";

const answers = new RecordedAnswers();

describe("bigger-journal", () => {
  it("is mainline on a journal that is factor times as big", () => {
    const driver = instantiate("bigger-journal:factor=4", { journalBlocks: 1024 });
    expect(driver.journalFactor).toBe(4);
    expect(driver.settings).toEqual(MAINLINE_SETTINGS);
    driver.start(fakeView({ journalBlocks: 4096 }), answers);
    expect(answers.take()).toEqual([]);
  });

  it("refuses a world that forgot to enlarge the journal", () => {
    const driver = instantiate("bigger-journal", { journalBlocks: 4096 });
    expect(() => driver.start(fakeView({ journalBlocks: 4096 }), answers)).toThrow(
      "policy bigger-journal: expected a journal of 8192 blocks, found 4096",
    );
    expect(() => instantiate("bigger-journal")).toThrow(
      "policy bigger-journal: needs a journal 2 times as big; say how big with journalBlocks",
    );
  });

  it("goes with other policies, which see the bigger journal", () => {
    const driver = instantiate("bigger-journal+threshold", { journalBlocks: 4096 });
    driver.start(fakeView({ journalBlocks: 8192 }), answers);
    expect(answers.take()).toEqual(["armFreeBelow(4096)"]);
  });
});
