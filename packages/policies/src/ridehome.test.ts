import { describe, expect, it } from "vitest";
import { instantiate } from "./instantiate.js";

describe("ridehome", () => {
  it("is ride with home writes at each commit's end", () => {
    const ride = instantiate("ride:close=0.8").declared;
    expect(instantiate("ridehome:close=0.8").declared).toEqual({
      ...ride,
      writeHomeAtCommitEnd: true,
    });
  });
});
