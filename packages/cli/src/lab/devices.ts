import type { DeviceProfile } from "@jbdlab/core-wasm";
import { nearest } from "@jbdlab/policies";
import { InputError } from "./errors.js";
import { assumed, type Fact, given, measured, published, valuesOf } from "./provenance.js";
import { formatBytes, formatNs, parseBytes, parseNs, parseNumber, parseWhole } from "./units.js";

type Facts = { readonly [K in keyof Omit<DeviceProfile, "name">]: Fact<DeviceProfile[K]> };

/** A device profile in the registry: every figure with its provenance. */
export interface DeviceEntry {
  readonly name: string;
  readonly summary: string;
  readonly facts: Facts;
}

const noSeek = {
  seekMinNs: published(0, "no moving parts"),
  seekMaxNs: published(0, "no moving parts"),
  rotationNs: published(0, "no moving parts"),
};

export const DEVICES: readonly DeviceEntry[] = [
  {
    name: "hdd",
    summary: "7200 rpm SATA disk with write cache",
    facts: {
      nsPerBlock: assumed(27300, "150 MB/s, mid-diameter"),
      latencyNs: assumed(100000, "controller and bus"),
      parallelism: published(1, "one head assembly"),
      queueDepth: published(32, "SATA native command queuing"),
      maxRequestBlocks: published(320, "Linux default max_sectors_kb 1280"),
      flushNs: assumed(16700000, "two revolutions to settle what is cached"),
      fuaNs: assumed(8330000, "one revolution"),
      writeCache: published(true, "enabled as shipped"),
      seekMinNs: assumed(500000, "track to track"),
      seekMaxNs: assumed(16000000, "full stroke; about 8.5 ms on average"),
      rotationNs: published(8333333, "7200 revolutions per minute"),
      jitterPermille: assumed(50, "so that seeds differ"),
    },
  },
  {
    name: "sata-ssd",
    summary: "consumer SATA SSD without power-loss protection",
    facts: {
      nsPerBlock: published(8000, "512 MB/s: SATA 6 Gb/s less its overhead"),
      latencyNs: assumed(60000, "write into the drive's cache"),
      parallelism: published(32, "SATA native command queuing"),
      queueDepth: published(32, "SATA native command queuing"),
      maxRequestBlocks: published(320, "Linux default max_sectors_kb 1280"),
      flushNs: assumed(8000000, "fsync of consumer drives: 0.9 to 10 ms in published comparisons"),
      fuaNs: assumed(500000, "one program operation of its flash"),
      writeCache: published(true, "enabled as shipped"),
      ...noSeek,
      jitterPermille: assumed(50, "so that seeds differ"),
    },
  },
  {
    name: "nvme",
    summary: "consumer NVMe SSD without power-loss protection",
    facts: {
      nsPerBlock: assumed(1365, "3 GB/s sustained writes"),
      latencyNs: assumed(20000, "write into the drive's cache"),
      parallelism: assumed(64, "internal parallelism"),
      queueDepth: published(1023, "Linux default nr_requests of an NVMe queue"),
      maxRequestBlocks: published(320, "Linux default max_sectors_kb 1280"),
      flushNs: published(900000, "fsync of 16 KiB on a consumer NVMe drive, about 0.9 ms"),
      fuaNs: assumed(300000, "one program operation of its flash"),
      writeCache: published(true, "consumer drives announce one"),
      ...noSeek,
      jitterPermille: assumed(50, "so that seeds differ"),
    },
  },
  {
    name: "ram-timer",
    summary: "memory behind a completion timer, no volatile cache to flush",
    facts: {
      nsPerBlock: assumed(400, "copying 10 GB/s"),
      latencyNs: published(10000, "null_blk's default completion_nsec"),
      parallelism: published(64, "null_blk's default hw_queue_depth"),
      queueDepth: published(64, "null_blk's default hw_queue_depth"),
      maxRequestBlocks: published(320, "Linux default max_sectors_kb 1280"),
      flushNs: published(0, "no cache, so the block layer drops flushes"),
      fuaNs: published(0, "no cache, so the block layer drops FUA"),
      writeCache: published(false, "null_blk's default cache_size 0"),
      ...noSeek,
      jitterPermille: assumed(50, "so that seeds differ"),
    },
  },
  {
    name: "kernel-runs",
    summary: "the serial device of the reference kernel runs; its flush is what --flush-ms says",
    facts: {
      nsPerBlock: measured(40000, "reference kernel runs: 40 us per 4 KiB block"),
      latencyNs: measured(320000, "reference kernel runs: 0.32 ms after service"),
      parallelism: measured(64, "reference kernel runs: 64 requests in flight"),
      queueDepth: measured(64, "reference kernel runs: 64 requests in flight"),
      maxRequestBlocks: measured(128, "reference kernel runs: 512 KiB per request"),
      flushNs: measured(8000000, "one of the flush costs of the reference kernel runs"),
      fuaNs: measured(320000, "reference kernel runs: FUA adds 0.32 ms"),
      writeCache: measured(true, "reference kernel runs announce a volatile cache"),
      ...noSeek,
      jitterPermille: measured(0, "the emulated machine is exact"),
    },
  },
];

type Read = (text: string, what: string) => number | boolean;

/**
 * One thing a user can override: its field, how to read it, how to write it so that it reads back.
 */
interface Override {
  readonly field: keyof Facts;
  readonly read: Read;
  readonly write: (value: number) => string;
  readonly help: string;
}

const time = (field: keyof Facts, help: string): Override => ({
  field,
  read: parseNs,
  write: formatNs,
  help: `${help}, a time such as 8ms`,
});

const count = (field: keyof Facts, max: number, help: string): Override => ({
  field,
  read: (text, what) => parseWhole(text, what, 1, max),
  write: String,
  help: `${help}, 1 to ${max}`,
});

export const OVERRIDES: Readonly<Record<string, Override>> = {
  flush: time("flushNs", "cache flush"),
  fua: time("fuaNs", "added by a FUA write"),
  latency: time("latencyNs", "latency after service"),
  block: time("nsPerBlock", "service of one 4 KiB block (8us = 512 MB/s)"),
  parallelism: count("parallelism", 1024, "requests overlapping in the latency stage"),
  queue: count("queueDepth", 1024, "requests in flight"),
  request: {
    field: "maxRequestBlocks",
    read: (text, what) => Math.max(1, Math.floor(parseBytes(text, what) / 4096)),
    write: (blocks) => formatBytes(blocks * 4096),
    help: "largest request, a size such as 512KiB",
  },
  cache: {
    field: "writeCache",
    read: readYesNo,
    write: String,
    help: "volatile write cache, yes or no",
  },
  "seek-min": time("seekMinNs", "shortest seek"),
  "seek-max": time("seekMaxNs", "full-stroke seek, 0s = none"),
  rotation: time("rotationNs", "one revolution"),
  jitter: {
    field: "jitterPermille",
    read: (text, what) => parseNumber(text.replace(/%$/, ""), what, 0, 50) * 10,
    write: (permille) => `${permille / 10}%`,
    help: "uniform jitter on service and latency, 0% to 50%",
  },
};

function readYesNo(text: string, what: string): boolean {
  if (text === "yes" || text === "no") return text === "yes";
  throw new InputError(`${what}: expected yes or no, found ${JSON.stringify(text)}`);
}

/**
 * A profile as chosen: its registry entry with the user's overrides, and the text that names it
 * again.
 */
export interface ChosenDevice {
  readonly text: string;
  readonly profile: DeviceProfile;
  readonly facts: Facts;
}

/**
 * Reads "sata-ssd" or "sata-ssd,flush=20ms,cache=no". Throws InputError for unknown devices
 * (naming the nearest) and bad values.
 */
export function parseDevice(text: string): ChosenDevice {
  const [name = "", ...pairs] = text.split(",");
  const entry = DEVICES.find((device) => device.name === name);
  if (entry === undefined) {
    const near = nearest(
      name,
      DEVICES.map((device) => device.name),
    );
    throw new InputError(`unknown device ${JSON.stringify(name)}; did you mean ${near}?`);
  }
  const facts: Record<string, Fact<unknown>> = { ...entry.facts };
  for (const pair of pairs) {
    const [key = "", value] = pair.split("=", 2);
    const override = Object.hasOwn(OVERRIDES, key) ? OVERRIDES[key] : undefined;
    if (override === undefined) {
      const near = nearest(key, Object.keys(OVERRIDES));
      throw new InputError(
        `device ${name}: unknown parameter ${JSON.stringify(key)}; did you mean ${near}?`,
      );
    }
    const what = `device ${name}: ${key}`;
    facts[override.field] = given(override.read(value ?? "", what), `--device ${text}`);
  }
  const checked = facts as unknown as Facts;
  checkSeek(text, checked);
  return { text, facts: checked, profile: { name: text, ...valuesOf(checked) } };
}

function checkSeek(text: string, facts: Facts): void {
  if (facts.seekMaxNs.value !== 0 && facts.seekMaxNs.value < facts.seekMinNs.value) {
    throw new InputError(`device ${text}: seek-max is below seek-min`);
  }
}
