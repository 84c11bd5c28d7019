import type { CpuCosts } from "@jbdlab/core-wasm";
import { assumed, type Fact, measured, published } from "./provenance.js";

type CpuFacts = { readonly [K in keyof CpuCosts]: Fact };

/**
 * The parts of a world that are neither workload, device, rule nor policy. Times in ns unless the
 * name says.
 */
export interface SettingFacts {
  readonly cpus: Fact;
  readonly quantumNs: Fact;
  readonly tickNs: Fact;
  readonly maxTransactionDivisor: Fact<3 | 4>;
  readonly tagsPerDescriptor: Fact;
  readonly conversionCredits: Fact;
  readonly commitIntervalNs: Fact;
  readonly dirtyWritebackNs: Fact;
  readonly dirtyExpireNs: Fact;
  readonly backgroundRatio: Fact;
  readonly dirtyRatio: Fact;
  readonly shrinkIntervalNs: Fact;
  readonly shrinkScan: Fact;
}

/**
 * A named world to run in: every figure with its provenance, and the defaults for what a run may
 * leave out.
 */
export interface Setting {
  readonly name: string;
  readonly summary: string;
  readonly facts: SettingFacts;
  readonly cpu: CpuFacts;
  readonly device: string;
  /** Default workload on a journal of that many blocks. */
  readonly workload: (journalBlocks: number) => string;
  /** Parameters of any workload that has them, unless its text gives them: this machine's CPU. */
  readonly workloadCpu: Readonly<Record<string, number>>;
  /** "half-of-data": memory is half of what the run writes; a number: blocks. */
  readonly memory: Fact<"half-of-data" | number>;
}

const common = {
  tickNs: assumed(4000000, "CONFIG_HZ=250"),
  tagsPerDescriptor: published(253, "jbd2_descriptor_blocks_per_trans: 4 KiB, 64bit, csum v3"),
  conversionCredits: published(9, "ext4_writepages: 1 + ext4_chunk_trans_blocks of one extent"),
  backgroundRatio: published(0.1, "vm.dirty_background_ratio"),
  dirtyRatio: published(0.2, "vm.dirty_ratio"),
  shrinkIntervalNs: assumed(0, "no memory pressure on journal heads"),
  shrinkScan: published(128, "SHRINK_BATCH"),
};

/**
 * CPU costs of the emulated machine of the reference kernel runs: one CPU, 1 instruction = 1 ns.
 */
const EMULATED: CpuFacts = {
  handleNs: measured(0, "inside the workload's 33 us per create"),
  logBufferNs: measured(2840, "reference kernel runs, commit's CPU per logged buffer"),
  forgetBufferNs: measured(660, "reference kernel runs, about 0.7 us per buffer of forget"),
  scanBufferNs: measured(300, "reference kernel runs, 0.1 to 0.3 us per scanned buffer"),
  flusherPageNs: measured(3000, "reference kernel runs, about 3 us per page"),
  checkpointWriteNs: measured(4150, "reference kernel runs, 8 MiB: submit_ms / cp_written"),
  frozenCopyNs: assumed(1000, "4 KiB copied at 4 GB/s"),
  commitNs: assumed(20000, "wake-ups, descriptor and record set up"),
  logIoNs: measured(2000, "reference kernel runs: CPU time left over, regressed on blocks"),
  homeIoNs: measured(8000, "reference kernel runs: CPU time left over, regressed on blocks"),
  // The fsync runs with one thread leave at most 65 us of 10.17 ms per file for it.
  conversionNs: assumed(20000, "as an inode update with its extent; at most 65 us (fsync runs)"),
};

/** A create costs 57 us there and about 13 us on the machine of the regression report. */
const REAL_MACHINE_SCALE = 13 / 57;

function scaled(facts: CpuFacts): CpuFacts {
  const note = "reference kernel runs x 13/57: a create of the regression report takes about 13 us";
  return Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      assumed(Math.round(fact.value * REAL_MACHINE_SCALE), note),
    ]),
  ) as unknown as CpuFacts;
}

const DEFAULT: Setting = {
  name: "default",
  summary: "a machine of today: 2 CPUs, Linux 6.12, memory half of what the run writes",
  facts: {
    ...common,
    cpus: assumed(2, "so that kjournald and the flusher run beside the handles"),
    quantumNs: published(1500000, "base slice of Linux 6.12, 0.75 ms x (1 + log2 cpus)"),
    maxTransactionDivisor: published(3, "Linux 6.11 and later"),
    commitIntervalNs: published(5e9, "jbd2's default commit interval"),
    dirtyWritebackNs: published(5e9, "vm.dirty_writeback_centisecs"),
    dirtyExpireNs: published(30e9, "vm.dirty_expire_centisecs"),
  },
  cpu: scaled(EMULATED),
  device: "sata-ssd",
  workload: () => "fsmark",
  workloadCpu: {},
  memory: assumed("half-of-data", "mmtests sizes fs_mark beyond memory: continuous writeback"),
};

const KERNEL_RUNS: Setting = {
  name: "kernel-runs",
  summary: "the emulated machine of the reference kernel runs (times stretched by 4)",
  facts: {
    ...common,
    cpus: measured(1, "reference kernel runs: one CPU"),
    tickNs: measured(1000000, "traces: fs_mark resumes at whole milliseconds"),
    quantumNs: published(750000, "base slice of Linux 6.12 on one CPU"),
    maxTransactionDivisor: measured(4, "reference kernel runs: maximum = journal / 4"),
    commitIntervalNs: measured(20e9, "reference kernel runs: commit=20"),
    dirtyWritebackNs: measured(270e6, "reference kernel runs: flusher every 0.27 s"),
    dirtyExpireNs: measured(1600e6, "reference kernel runs: expiry 1.6 s"),
  },
  cpu: EMULATED,
  device: "kernel-runs",
  // 8 iterations of 950 x MiB empty files, -D 64 -N 256 -t 1.
  workload: (blocks) => `fsmark,size=0,iterations=8,files=${Math.round((950 * blocks) / 256)}`,
  workloadCpu: { cpuScale: 1, thinkJitter: 0 },
  memory: measured(67108864, "reference kernel runs: no memory pressure, no dirty throttling"),
};

export const SETTINGS: readonly Setting[] = [DEFAULT, KERNEL_RUNS];
