import {
  type PolicySettings,
  Simulation,
  type Workload,
  type WorldConfig,
} from "@jbdlab/core-wasm";
import { describe, expect, it } from "vitest";
import { compileMutant, type Mutation } from "./mutant.js";

const MAINLINE: PolicySettings = {
  commitCleanup: "rule",
  cleanBeforeTail: false,
  closeShare: 1,
  tailShare: 1,
  infiniteLog: false,
  writeHomeAtCommitEnd: false,
};

/** A small log, a device with a volatile cache, a flusher that is always at work. */
const WORLD: WorldConfig = {
  seed: 1,
  rule: "v4",
  journalBlocks: 256,
  maxTransactionDivisor: 4,
  tagsPerDescriptor: 254,
  conversionCredits: 0,
  commitIntervalNs: 5e9,
  threads: 1,
  cpus: 2,
  quantumNs: 1e6,
  tickNs: 1e6,
  cpu: {
    handleNs: 2000,
    logBufferNs: 500,
    forgetBufferNs: 100,
    scanBufferNs: 50,
    flusherPageNs: 500,
    checkpointWriteNs: 500,
    frozenCopyNs: 300,
    commitNs: 5000,
    logIoNs: 300,
    homeIoNs: 1000,
    conversionNs: 0,
  },
  device: {
    name: "test",
    nsPerBlock: 8000,
    latencyNs: 60_000,
    parallelism: 8,
    queueDepth: 32,
    maxRequestBlocks: 64,
    flushNs: 1_000_000,
    fuaNs: 60_000,
    writeCache: true,
    seekMinNs: 0,
    seekMaxNs: 0,
    rotationNs: 0,
    jitterPermille: 0,
  },
  dirtyWritebackNs: 3e6,
  dirtyExpireNs: 0,
  flusherPhaseNs: 3e6,
  memoryBlocks: 1 << 20,
  backgroundRatio: 0.1,
  dirtyRatio: 0.2,
  shrinkIntervalNs: 0,
  shrinkScan: 128,
  policy: MAINLINE,
  decisionMask: 0,
};

/**
 * Handles on one hot block, one warm block out of seven, and a cold one: old transactions stay
 * pinned for a while.
 */
function hotAndCold(handles: number): Workload {
  let done = 0;
  return {
    name: "hot-and-cold",
    threads: 1,
    fill(_thread, sink) {
      while (!sink.full) {
        if (done === handles) {
          sink.end();
          return;
        }
        sink.handle(4, 5000, 5000, 0, 0);
        sink.access(0, 1);
        sink.access(0, 10 + (((done >> 4) * 3) % 7));
        sink.access(0, 1000 + done);
        done++;
      }
    },
  };
}

async function verdictWithout(...mutations: Mutation[]) {
  const core = await compileMutant(mutations);
  return Simulation.create(core, WORLD).run(hotAndCold(4000)).crash;
}

/** Nothing goes home but what a checkpoint writes, right before it moves the tail. */
const NO_FLUSHER: WorldConfig = { ...WORLD, dirtyExpireNs: 1e14 };

describe("the judge catches each guard that is taken out", { timeout: 60_000 }, () => {
  it("finds nothing in the core as it is", async () => {
    expect((await verdictWithout()).verdict).toBe("consistent");
  });

  it("a tail that moves without a flush loses data", async () => {
    const core = await compileMutant([
      { file: "tail.ts", guard: "if (!devCache) return 1;", without: "return 1;" },
    ]);
    const { crash } = Simulation.create(core, NO_FLUSHER).run(hotAndCold(4000));
    expect(crash.verdict).toBe("loses-acknowledged-data");
    expect(crash.lossWindows[0]?.tailTid).toBeGreaterThan(crash.lossWindows[0]?.tid ?? Infinity);
  });

  it("a tail that passes the oldest checkpoint transaction loses data", async () => {
    const crash = await verdictWithout({
      file: "tail.ts",
      guard: "if (cpFirst != 0) {",
      without: "if (false) {",
    });
    expect(crash.verdict).toBe("loses-acknowledged-data");
  });

  it("cleanup that does not look at b_transaction loses data", async () => {
    const crash = await verdictWithout({
      file: "cleanup.ts",
      guard: "if (checkRejoined && rejoined) {",
      without: "if (false) {",
    });
    expect(crash.verdict).toBe("loses-acknowledged-data");
  });

  it("a home write before the commit violates write-ahead", async () => {
    const crash = await verdictWithout({
      file: "writeback.ts",
      guard: "if ((f & DIRTY) != 0 && load<i32>(B(b), B_TX) == 0) {",
      without: "if (load<i32>(B(b), B_TX) != 0) {",
    });
    expect(crash.verdict).toBe("violates-write-ahead");
    expect(crash.violation).toMatch(/home write of a version whose commit is not durable/);
  });

  it("a log written round past its tail violates write-ahead", async () => {
    const crash = await verdictWithout(
      { file: "journal.ts", guard: "return free - 32 - toCome;", without: "return 1 << 20;" },
      {
        file: "journal.ts",
        guard: "if (free <= 0) fail(ERR_LOG_FULL, <i32>head);",
        without: "",
      },
    );
    expect(crash.verdict).toBe("violates-write-ahead");
    expect(crash.violation).toMatch(/log block reused/);
  });

  it("a commit record that does not wait for the log writes violates write-ahead", async () => {
    const crash = await verdictWithout({
      file: "commit.ts",
      guard: "if (load<i32>(X(x), X_LOG_IO) > 0) return waitForZero(t, x, X_LOG_IO);",
      without: "",
    });
    expect(crash.verdict).toBe("violates-write-ahead");
    expect(crash.violation).toMatch(/commit record durable before its log blocks/);
  });
});
