import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";

describe("ride", () => {
  it("closes at 7/8, cleans before the tail and moves it for 1/8 of a maximum, as measured", () => {
    const driver = instantiate("ride");
    const declared = { closeShare: 7 / 8, cleanBeforeTail: true, tailShare: 1 / 8 };
    expect(driver.declared).toEqual(declared);
    expect(driver.decisionMask).toBe(0);
  });

  it("takes both shares from its parameters", () => {
    const { declared } = instantiate("ride:close=0.5,tail=1");
    expect(declared).toMatchObject({ closeShare: 0.5, tailShare: 1 });
  });
});
