import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";

describe("skip", () => {
  it("only lengthens the walk at commit time", () => {
    const driver = instantiate("skip");
    expect(driver.declared).toEqual({ commitCleanup: "skip" });
    expect(driver.decisionMask).toBe(0);
  });
});
