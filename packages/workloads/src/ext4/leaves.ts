/** Bytes of a directory block that "." and ".." take. */
const DOTS = 24;
/** Checksum at the end of a leaf (metadata_csum). */
const TAIL = 12;

/**
 * How many names of one length fit a directory's blocks (ext4_dir_rec_len, dx_root_limit,
 * dx_node_limit).
 */
export class DirectoryShape {
  readonly entryBytes: number;
  /** Names in the only block of a directory that is not yet indexed. */
  readonly linearCapacity: number;
  readonly leafCapacity: number;
  /** Bytes for entries in a leaf. */
  readonly leafBytes: number;
  /** Index entries in the root and in a node below it. */
  readonly rootCapacity: number;
  readonly nodeCapacity: number;
  readonly blockSize: number;
  /**
   * Entries that stay when a full leaf is split, or -1 when that depends on where the last entry's
   * hash lies.
   */
  readonly fullCut: number;

  /** nameLength: 1 ... 255 bytes, the same for all names of the directory. */
  constructor(blockSize: number, nameLength: number) {
    this.blockSize = blockSize;
    this.entryBytes = (8 + nameLength + 3) & ~3;
    this.leafBytes = blockSize - TAIL;
    this.linearCapacity = Math.floor((this.leafBytes - DOTS) / this.entryBytes);
    this.leafCapacity = Math.floor(this.leafBytes / this.entryBytes);
    this.rootCapacity = Math.floor((blockSize - DOTS - 8 - 8) / 8);
    this.nodeCapacity = Math.floor((blockSize - 8 - 8) / 8);
    const [high, low] = [
      this.cut(this.leafCapacity, this.leafCapacity - 1),
      this.cut(this.leafCapacity, 0),
    ];
    this.fullCut = high === low ? high : -1;
  }

  /**
   * namei.c do_split: how many of `count` entries stay, in hash order, so that half a block's bytes
   * move. The entry at rank `last` lies last in the block and owns the slack behind it.
   */
  cut(count: number, last: number): number {
    const slack = this.leafBytes - count * this.entryBytes;
    const half = this.blockSize >> 1;
    let size = 0;
    let at = count - 1;
    for (; at >= 0; at--) {
      const bytes = at === last ? this.entryBytes + slack : this.entryBytes;
      if (size + (bytes >> 1) > half) {
        break;
      }
      size += bytes;
    }
    return at > 0 ? at + 1 : count >> 1;
  }
}

/** Where a leaf's numbers lie in its record, before the hashes. */
const COUNT = 0;
const BLOCK = 1;
const SAME = 2;
const SECOND = 3;
const HEADER = 4;

/**
 * Leaf blocks of all directories of one shape. A leaf is a record of its entry count, its block,
 * the second of its last change, how many of its names were made in that second (they are the last
 * ones), and the names' hashes. Hashes are even and below 2^31; seconds must not run backwards.
 */
export class Leaves {
  readonly shape: DirectoryShape;
  readonly capacity: number;
  readonly #stride: number;
  #data: Int32Array;
  #used = 0;
  readonly #free: number[] = [];
  readonly #sorted: Int32Array;

  constructor(shape: DirectoryShape) {
    this.shape = shape;
    this.capacity = shape.leafCapacity;
    this.#stride = HEADER + this.capacity;
    this.#data = new Int32Array(64 * this.#stride);
    this.#sorted = new Int32Array(this.capacity);
  }

  /** An empty leaf in `block`; returns its handle. */
  allocate(block: number): number {
    const leaf = this.#free.pop() ?? this.#used++ * this.#stride;
    if (leaf === this.#data.length) {
      const larger = new Int32Array(2 * this.#data.length);
      larger.set(this.#data);
      this.#data = larger;
    }
    this.#data[leaf + COUNT] = 0;
    this.#data[leaf + BLOCK] = block;
    this.#data[leaf + SAME] = 0;
    this.#data[leaf + SECOND] = -1;
    return leaf;
  }

  release(leaf: number): void {
    this.#free.push(leaf);
  }

  count(leaf: number): number {
    return this.#data[leaf + COUNT]!;
  }

  block(leaf: number): number {
    return this.#data[leaf + BLOCK]!;
  }

  /** The leaf's entries are moved to another block. */
  setBlock(leaf: number, block: number): void {
    this.#data[leaf + BLOCK] = block;
  }

  /** Entries that were not made in `second` (their names differ earlier). */
  others(leaf: number, second: number): number {
    const data = this.#data;
    if (data[leaf + SECOND] !== second) {
      data[leaf + SECOND] = second;
      data[leaf + SAME] = 0;
    }
    return data[leaf + COUNT]! - data[leaf + SAME]!;
  }

  /**
   * Puts a name at the end of a leaf that has room, in the second that `others` was asked for last.
   */
  append(leaf: number, hash: number): void {
    const data = this.#data;
    const count = data[leaf + COUNT]!;
    data[leaf + HEADER + count] = hash;
    data[leaf + COUNT] = count + 1;
    data[leaf + SAME]!++;
  }

  /** Takes one name with this hash away; false when there is none. */
  remove(leaf: number, hash: number): boolean {
    const data = this.#data;
    const count = data[leaf + COUNT]!;
    const from = leaf + HEADER;
    const at = data.subarray(from, from + count).indexOf(hash);
    if (at === -1) {
      return false;
    }
    data.copyWithin(from + at, from + at + 1, from + count);
    if (at >= count - data[leaf + SAME]!) {
      data[leaf + SAME]!--;
    }
    data[leaf + COUNT] = count - 1;
    return true;
  }

  /**
   * do_split: moves the upper half by size, in hash order, into `target` (empty). Returns the first
   * hash of the target, with bit 0 set when equal hashes stayed behind ("continued").
   */
  split(leaf: number, target: number): number {
    const data = this.#data;
    const count = data[leaf + COUNT]!;
    const from = leaf + HEADER;
    const sorted = this.#sorted;
    for (let i = 0; i < count; i++) {
      sorted[i] = data[from + i]!;
    }
    const cut = this.#cut(sorted, count, data[from + count - 1]!);
    const hash = select(sorted, count, cut);
    let below = 0;
    for (let i = 0; i < count; i++) {
      below += data[from + i]! < hash ? 1 : 0;
    }
    this.#move(leaf, target, hash, cut - below);
    return hash | (cut > below ? 1 : 0);
  }

  #cut(hashes: Int32Array, count: number, last: number): number {
    const { shape } = this;
    if (count === shape.leafCapacity && shape.fullCut !== -1) {
      return shape.fullCut;
    }
    let rank = -1;
    for (let i = 0; i < count; i++) {
      rank += hashes[i]! <= last ? 1 : 0;
    }
    return shape.cut(count, rank);
  }

  /**
   * Moves the hashes from `bound` on, but for the first `stay` equal to it; both leaves keep the
   * order of time.
   */
  #move(leaf: number, target: number, bound: number, stay: number): void {
    const data = this.#data;
    const count = data[leaf + COUNT]!;
    const firstSame = count - data[leaf + SAME]!;
    const from = leaf + HEADER;
    let left = stay;
    let kept = 0;
    let keptSame = 0;
    let moved = 0;
    for (let i = 0; i < count; i++) {
      const hash = data[from + i]!;
      if (hash < bound || (hash === bound && left-- > 0)) {
        data[from + kept++] = hash;
        keptSame += i >= firstSame ? 1 : 0;
      } else {
        data[target + HEADER + moved++] = hash;
      }
    }
    data[target + COUNT] = moved;
    data[target + SAME] = data[leaf + SAME]! - keptSame;
    data[target + SECOND] = data[leaf + SECOND]!;
    data[leaf + COUNT] = kept;
    data[leaf + SAME] = keptSame;
  }
}

/** The k-th smallest (from 0) of the first `count` values; reorders them. */
function select(values: Int32Array, count: number, k: number): number {
  let low = 0;
  let high = count - 1;
  while (low < high) {
    const pivot = values[(low + high) >> 1]!;
    let i = low;
    let j = high;
    while (i <= j) {
      while (values[i]! < pivot) {
        i++;
      }
      while (values[j]! > pivot) {
        j--;
      }
      if (i <= j) {
        const swap = values[i]!;
        values[i++] = values[j]!;
        values[j--] = swap;
      }
    }
    if (k <= j) {
      high = j;
    } else if (k >= i) {
      low = i;
    } else {
      break;
    }
  }
  return values[k]!;
}
