/**
 * CRC-32C (Castagnoli) as the kernel's `crc32c()` computes it: the running value goes in and
 * comes out without inversion. Libraries invert at both ends and cannot be chained the way jbd2
 * chains its seeds.
 */
const TABLES = buildTables();

function buildTables(): Int32Array[] {
  const tables = [0, 1, 2, 3].map(() => new Int32Array(256));
  for (let n = 0; n < 256; n++) {
    let c = n;
    for (let k = 0; k < 8; k++) {
      c = (c >>> 1) ^ (c & 1 ? 0x82f63b78 : 0);
    }
    tables[0]![n] = c;
  }
  for (let n = 0; n < 256; n++) {
    for (let t = 1; t < 4; t++) {
      const c = tables[t - 1]![n]!;
      tables[t]![n] = (c >>> 8) ^ tables[0]![c & 0xff]!;
    }
  }
  return tables;
}

/** Continues `crc` (unsigned 32 bits) over `bytes`. */
export function crc32c(crc: number, bytes: Uint8Array): number {
  const [t0, t1, t2, t3] = TABLES as [Int32Array, Int32Array, Int32Array, Int32Array];
  let c = crc | 0;
  let i = 0;
  for (const whole = bytes.length & ~3; i < whole; i += 4) {
    c ^= bytes[i]! | (bytes[i + 1]! << 8) | (bytes[i + 2]! << 16) | (bytes[i + 3]! << 24);
    c = t3[c & 0xff]! ^ t2[(c >>> 8) & 0xff]! ^ t1[(c >>> 16) & 0xff]! ^ t0[c >>> 24]!;
  }
  for (; i < bytes.length; i++) {
    c = t0[(c ^ bytes[i]!) & 0xff]! ^ (c >>> 8);
  }
  return c >>> 0;
}

const ZEROS = new Uint8Array(4);

/**
 * As `crc32c`, but the `length` (1 ... 4) bytes at `at` count as zero: a block's own checksum
 * field.
 */
export function crc32cSkipping(crc: number, bytes: Uint8Array, at: number, length: number): number {
  const before = crc32c(crc, bytes.subarray(0, at));
  const zeros = crc32c(before, ZEROS.subarray(0, length));
  return crc32c(zeros, bytes.subarray(at + length));
}

const BIG_ENDIAN = Uint32Array.from({ length: 256 }, (_, n) => {
  let c = n << 24;
  for (let k = 0; k < 8; k++) {
    c = c < 0 ? (c << 1) ^ 0x04c11db7 : c << 1;
  }
  return c >>> 0;
});

/** The kernel's `crc32_be()`: the checksum of journals with "journal_checksum" version 1. */
export function crc32be(crc: number, bytes: Uint8Array): number {
  let c = crc | 0;
  for (let i = 0; i < bytes.length; i++) {
    c = (c << 8) ^ BIG_ENDIAN[((c >>> 24) ^ bytes[i]!) & 0xff]!;
  }
  return c >>> 0;
}
