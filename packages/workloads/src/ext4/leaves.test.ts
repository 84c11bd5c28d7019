import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DirectoryShape, Leaves } from "./leaves.js";

const SECOND = 5;

/** do_split as namei.c writes it: a map of (hash, size) sorted by hash. */
function splitByTheBook(shape: DirectoryShape, hashes: readonly number[]): [number[], number[]] {
  const slack = shape.leafBytes - hashes.length * shape.entryBytes;
  const map = hashes
    .map((hash, i) => ({ hash, size: shape.entryBytes + (i === hashes.length - 1 ? slack : 0) }))
    .sort((a, b) => a.hash - b.hash);
  let size = 0;
  let move = 0;
  let i = map.length - 1;
  for (; i >= 0; i--) {
    const entry = map[i]!;
    if (size + Math.floor(entry.size / 2) > shape.blockSize / 2) break;
    size += entry.size;
    move++;
  }
  const at = i > 0 ? map.length - move : Math.floor(map.length / 2);
  const sorted = map.map((entry) => entry.hash);
  return [sorted.slice(0, at), sorted.slice(at)];
}

function filled(shape: DirectoryShape, hashes: readonly number[]): [Leaves, number] {
  const leaves = new Leaves(shape);
  const leaf = leaves.allocate(100);
  for (const hash of hashes) {
    leaves.others(leaf, SECOND);
    leaves.append(leaf, hash);
  }
  return [leaves, leaf];
}

/** Hashes of a leaf, found by removing them. */
function drain(leaves: Leaves, leaf: number, candidates: readonly number[]): number[] {
  return candidates.filter((hash) => leaves.remove(leaf, hash));
}

describe("a directory's capacity", () => {
  it("is 84 names of 40 bytes before and 85 per leaf after indexing, as recorded", () => {
    const shape = new DirectoryShape(4096, 40);
    expect(shape.linearCapacity).toBe(84);
    expect(shape.leafCapacity).toBe(85);
    expect(shape.rootCapacity).toBe(507);
    expect(shape.nodeCapacity).toBe(510);
  });

  it("splits 85 entries into 42 and 43, and 84 by where the last one's hash lies", () => {
    const shape = new DirectoryShape(4096, 40);
    expect(shape.fullCut).toBe(42);
    expect(shape.cut(84, 83)).toBe(42);
    expect(shape.cut(84, 0)).toBe(41);
  });
});

describe("splitting a leaf", () => {
  const anyLeaf = fc
    .tuple(fc.constantFrom(1, 12, 40, 255), fc.constantFrom(1024, 4096))
    .chain(([nameLength, blockSize]) => {
      const shape = new DirectoryShape(blockSize, nameLength);
      const hash = fc.integer({ min: 0, max: 300 }).map((n) => n * 2);
      const wide = fc.integer({ min: 0, max: 2 ** 30 - 1 }).map((n) => n * 2);
      const count = fc.constantFrom(shape.leafCapacity, shape.linearCapacity);
      return count.chain((length) =>
        fc.tuple(
          fc.constant(shape),
          fc.array(fc.oneof(hash, wide), { minLength: length, maxLength: length }),
        ),
      );
    });

  it("moves what do_split moves", () => {
    fc.assert(
      fc.property(anyLeaf, ([shape, hashes]) => {
        const [low, high] = splitByTheBook(shape, hashes);
        const [leaves, leaf] = filled(shape, hashes);
        const target = leaves.allocate(200);
        const bound = leaves.split(leaf, target);
        expect(leaves.count(leaf)).toBe(low.length);
        expect(leaves.count(target)).toBe(high.length);
        expect(bound & ~1).toBe(high[0]);
        expect(bound & 1).toBe(low.at(-1) === high[0] ? 1 : 0);
        const sorted = [...hashes].sort((a, b) => a - b);
        expect(drain(leaves, leaf, sorted)).toEqual(low);
        expect(drain(leaves, target, sorted)).toEqual(high);
      }),
      { numRuns: 300, seed: 2 },
    );
  });

  it("keeps count of the names made in this second on both sides", () => {
    const shape = new DirectoryShape(4096, 40);
    const leaves = new Leaves(shape);
    const leaf = leaves.allocate(1);
    for (let i = 0; i < 85; i++) {
      leaves.others(leaf, i < 60 ? 1 : 2);
      // Old names get even tens, new ones the rest: 13 of the upper 43 are new.
      leaves.append(leaf, i < 60 ? i * 10 : 400 + (i - 60) * 4);
    }
    expect(leaves.others(leaf, 2)).toBe(60);
    const target = leaves.allocate(2);
    const bound = leaves.split(leaf, target);
    const newAbove = Array.from({ length: 25 }, (_, i) => 400 + i * 4).filter((h) => h >= bound);
    expect(leaves.others(target, 2)).toBe(43 - newAbove.length);
    expect(leaves.others(leaf, 2)).toBe(42 - (25 - newAbove.length));
    expect(leaves.others(leaf, 3)).toBe(42);
  });
});

describe("leaves", () => {
  it("are used again after they are released", () => {
    const leaves = new Leaves(new DirectoryShape(4096, 40));
    const all = Array.from({ length: 200 }, (_, i) => leaves.allocate(i));
    expect(new Set(all).size).toBe(200);
    expect(all.map((leaf) => leaves.block(leaf))).toEqual(Array.from({ length: 200 }, (_, i) => i));
    leaves.release(all[7]!);
    expect(leaves.allocate(999)).toBe(all[7]);
    expect(leaves.count(all[7]!)).toBe(0);
  });

  it("do not find a name that is not there", () => {
    const [leaves, leaf] = filled(new DirectoryShape(4096, 40), [2, 4, 4, 8]);
    expect(leaves.remove(leaf, 6)).toBe(false);
    expect(leaves.remove(leaf, 4)).toBe(true);
    expect(leaves.remove(leaf, 4)).toBe(true);
    expect(leaves.remove(leaf, 4)).toBe(false);
    expect(leaves.count(leaf)).toBe(2);
  });
});
