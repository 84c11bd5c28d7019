import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";

describe("infinite-log", () => {
  it("changes nothing but the log's size", () => {
    const driver = instantiate("infinite-log");
    expect(driver.declared).toEqual({ infiniteLog: true });
    expect(driver.decisionMask).toBe(0);
  });
});
