import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";
import { MAINLINE_SETTINGS } from "./settings.js";

describe("jbd2", () => {
  it("declares nothing and is never asked, so a run with it is a run without a policy", () => {
    const driver = instantiate("jbd2");
    expect(driver.settings).toEqual(MAINLINE_SETTINGS);
    expect(driver.decisionMask).toBe(0);
  });
});
