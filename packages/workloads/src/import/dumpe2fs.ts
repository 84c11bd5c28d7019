import { ImportError } from "./import-error.js";
import { badLine, type Ending, type LineParser, parseFileSync } from "./lines.js";

/** What a file-system block is, as far as its place tells. */
export const BLOCK_CLASSES = [
  "superblock",
  "group-descriptors",
  "block-bitmap",
  "inode-bitmap",
  "inode-table",
  /**
   * Everything of no fixed place that is logged: directories and their indexes, rarely extent
   * blocks.
   */
  "directory",
] as const;
export type BlockClass = (typeof BLOCK_CLASSES)[number];

/** The layout of an ext4 file system, from what dumpe2fs prints. */
export interface Ext4Layout {
  readonly file: string;
  readonly blockSize: number;
  readonly blocks: number;
  readonly groups: number;
  readonly blocksPerGroup: number;
  readonly inodesPerGroup: number;
  readonly inodeSize: number;
  readonly flexBgSize: number;
  /** Log blocks; undefined with an external journal. */
  readonly journalBlocks: number | undefined;
  readonly features: readonly string[];
  classOf(block: number): BlockClass;
  readonly consumed: string;
}

interface Header {
  readonly numbers: ReadonlyMap<string, number>;
  readonly features: readonly string[];
}

const NEEDED = [
  "Inode count",
  "Block count",
  "Block size",
  "Blocks per group",
  "Inodes per group",
  "Inode blocks per group",
  "Inode size",
] as const;
const FIRST_LINE = /^Filesystem (?:volume name|features|UUID|magic number):/;
const FIELD = /^([A-Z][A-Za-z0-9 /#()_.-]*?):\s*(.*)$/;

/** True for a line that a print of dumpe2fs starts with. */
export function startsDumpe2fs(line: string): boolean {
  return FIRST_LINE.test(line);
}

/**
 * Parses `dumpe2fs -h` (or the whole print, whose groups are not needed: their place follows
 * from the header). Throws ImportError when a needed field is missing or impossible.
 */
export class Dumpe2fsParser implements LineParser<Ext4Layout> {
  readonly #numbers = new Map<string, number>();
  #features: string[] | undefined;
  #fields = 0;
  #groups = false;

  constructor(private readonly file: string) {}

  line(text: string, number: number): void {
    // After the header come the groups, one paragraph each.
    this.#groups ||= /^Group 0: /.test(text);
    if (text.trim() === "" || /^dumpe2fs /.test(text) || this.#groups) {
      return;
    }
    const field = FIELD.exec(text.trim());
    if (field === null) {
      if (/^\s/.test(text)) {
        return;
      }
      throw badLine(this.file, number, "a field of dumpe2fs (name: value)", text);
    }
    this.#fields++;
    const [, name, value] = field as unknown as [string, string, string];
    if (name === "Filesystem features") {
      this.#features = value.split(/\s+/);
    } else if (/^\d{1,15}$/.test(value)) {
      this.#numbers.set(name, Number(value));
    }
    if (name === "Total journal blocks" && !/^\d+$/.test(value)) {
      throw badLine(this.file, number, "a number of journal blocks", value);
    }
  }

  finish(_ending: Ending): Ext4Layout {
    const missing = NEEDED.find((name) => !this.#numbers.has(name));
    if (missing !== undefined || this.#features === undefined) {
      const name = missing ?? "Filesystem features";
      throw new ImportError(this.file, undefined, `dumpe2fs's field "${name}"`, "none");
    }
    return layoutOf(this.file, { numbers: this.#numbers, features: this.#features }, this.#fields);
  }
}

/** Reads a print of dumpe2fs, plain or gzip. */
export function readDumpe2fs(file: string): Ext4Layout {
  return parseFileSync(file, new Dumpe2fsParser(file));
}

function layoutOf(file: string, header: Header, fields: number): Ext4Layout {
  const { features } = header;
  const n = (name: string): number => header.numbers.get(name) ?? 0;
  const sizes = {
    blockSize: n("Block size"),
    blocks: n("Block count"),
    blocksPerGroup: n("Blocks per group"),
    inodesPerGroup: n("Inodes per group"),
    inodeSize: n("Inode size"),
  };
  for (const [name, value] of Object.entries(sizes)) {
    if (value < 1 || !Number.isSafeInteger(value)) {
      throw new ImportError(file, undefined, `a ${name} of at least 1`, String(value));
    }
  }
  const firstDataBlock = sizes.blockSize === 1024 ? 1 : 0;
  const groups = Math.ceil((sizes.blocks - firstDataBlock) / sizes.blocksPerGroup);
  const flexBgSize = features.includes("flex_bg") ? n("Flex block group size") || 16 : 1;
  const places = new Places(header, firstDataBlock, groups, flexBgSize);
  return {
    file,
    ...sizes,
    groups,
    flexBgSize,
    journalBlocks: header.numbers.get("Total journal blocks"),
    features,
    classOf: (block) => places.classOf(block),
    consumed: `consumed ${fields} of ${fields} fields`,
  };
}

/**
 * Where mke2fs puts what has a fixed place (flex_bg packs bitmaps and tables at the start of a
 * flex group).
 */
class Places {
  readonly #blocksPerGroup: number;
  readonly #tableBlocks: number;
  readonly #descriptorBlocks: number;
  readonly #reserved: number;
  readonly #sparse: boolean;

  constructor(
    { numbers, features }: Header,
    private readonly firstDataBlock: number,
    private readonly groups: number,
    private readonly flexBgSize: number,
  ) {
    const blockSize = numbers.get("Block size")!;
    this.#blocksPerGroup = numbers.get("Blocks per group")!;
    this.#tableBlocks = numbers.get("Inode blocks per group")!;
    this.#sparse = features.includes("sparse_super") || features.includes("sparse_super2");
    const bytes = features.includes("64bit") ? 64 : 32;
    this.#descriptorBlocks = Math.ceil((groups * bytes) / blockSize);
    this.#reserved = features.includes("resize_inode")
      ? (numbers.get("Reserved GDT blocks") ??
        reservedDescriptorBlocks(numbers, this.#descriptorBlocks, blockSize / bytes))
      : 0;
  }

  classOf(block: number): BlockClass {
    const group = Math.floor((block - this.firstDataBlock) / this.#blocksPerGroup);
    const inGroup = block - this.firstDataBlock - group * this.#blocksPerGroup;
    if (block < this.firstDataBlock || (this.#hasSuper(group) && inGroup === 0)) {
      return "superblock";
    }
    const backup = this.#hasSuper(group) ? 1 + this.#descriptorBlocks + this.#reserved : 0;
    if (inGroup < backup) {
      return "group-descriptors";
    }
    const first = group - (group % this.flexBgSize);
    const packed = Math.min(this.flexBgSize, this.groups - first);
    const start =
      this.firstDataBlock +
      first * this.#blocksPerGroup +
      (this.#hasSuper(first) ? 1 + this.#descriptorBlocks + this.#reserved : 0);
    // The last flex group packs as many bitmaps and tables as it has groups.
    const at = block - start;
    if (at >= 0 && at < packed) {
      return "block-bitmap";
    }
    if (at >= packed && at < 2 * packed) {
      return "inode-bitmap";
    }
    const table = at - 2 * packed;
    return table >= 0 && table < packed * this.#tableBlocks ? "inode-table" : "directory";
  }

  #hasSuper(group: number): boolean {
    return !this.#sparse || group <= 1 || [3, 5, 7].some((base) => isPower(base, group));
  }
}

/**
 * mke2fs: room to grow by 1024, at most a quarter of a block's worth of pointers
 * (`calc_reserved_gdt_blocks`).
 */
function reservedDescriptorBlocks(
  numbers: ReadonlyMap<string, number>,
  descriptorBlocks: number,
  perBlock: number,
): number {
  const blockSize = numbers.get("Block size")!;
  const grown = Math.min(numbers.get("Block count")! * 1024, 2 ** 32 - 1);
  const groups = Math.ceil(grown / numbers.get("Blocks per group")!);
  const blocks = Math.ceil(groups / perBlock) - descriptorBlocks;
  return Math.max(0, Math.min(blocks, blockSize / 4));
}

function isPower(base: number, n: number): boolean {
  let power = base;
  while (power < n) {
    power *= base;
  }
  return power === n;
}
