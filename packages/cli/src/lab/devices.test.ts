import { describe, expect, it } from "vitest";
import { DEVICES, parseDevice } from "./devices.js";

describe("devices", () => {
  it("every figure has a source and a note", () => {
    for (const { name, facts } of DEVICES) {
      for (const [field, fact] of Object.entries(facts)) {
        expect(fact.source, `${name} ${field}`).toMatch(/^(measured|published|assumed)$/);
        expect(fact.note, `${name} ${field}`).not.toBe("");
      }
    }
  });

  it("an override changes its figure alone and says that the user gave it", () => {
    const plain = parseDevice("sata-ssd").profile;
    const { profile, facts } = parseDevice("sata-ssd,flush=20ms,cache=no,jitter=1%,request=512KiB");
    expect(profile).toEqual({
      ...plain,
      name: "sata-ssd,flush=20ms,cache=no,jitter=1%,request=512KiB",
      flushNs: 20e6,
      writeCache: false,
      jitterPermille: 10,
      maxRequestBlocks: 128,
    });
    expect(facts.flushNs.source).toBe("given");
    expect(facts.latencyNs.source).toBe("assumed");
  });

  it("what is unknown or out of range is refused", () => {
    expect(() => parseDevice("sata")).toThrow(/did you mean sata-ssd\?/);
    expect(() => parseDevice("hdd,rotaton=8ms")).toThrow(/did you mean rotation\?/);
    expect(() => parseDevice("hdd,queue=0")).toThrow(/queue: expected a whole number from 1/);
    expect(() => parseDevice("hdd,jitter=60%")).toThrow(/jitter: expected a number from 0 to 50/);
    expect(() => parseDevice("hdd,cache=maybe")).toThrow(/expected yes or no/);
    expect(() => parseDevice("hdd,seek-max=1us")).toThrow(/seek-max is below seek-min/);
    expect(() => parseDevice("hdd,flush")).toThrow(/flush: expected a time/);
  });
});
