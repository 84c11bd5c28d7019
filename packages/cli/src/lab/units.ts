import { InputError } from "./errors.js";

const SIZE_UNITS: Readonly<Record<string, number>> = {
  "": 1,
  b: 1,
  kib: 2 ** 10,
  mib: 2 ** 20,
  gib: 2 ** 30,
  tib: 2 ** 40,
  k: 2 ** 10,
  m: 2 ** 20,
  g: 2 ** 30,
  t: 2 ** 40,
  kb: 1e3,
  mb: 1e6,
  gb: 1e9,
  tb: 1e12,
};

const TIME_UNITS: Readonly<Record<string, number>> = {
  ns: 1,
  us: 1e3,
  µs: 1e3,
  ms: 1e6,
  s: 1e9,
};

const NUMBER_AND_UNIT = /^(\d+(?:\.\d+)?)\s*([a-zµ]*)$/i;

function read(
  text: string,
  what: string,
  units: Readonly<Record<string, number>>,
  example: string,
): number {
  const match = NUMBER_AND_UNIT.exec(text.trim());
  const factor = match === null ? undefined : units[(match[2] ?? "").toLowerCase()];
  if (match === null || factor === undefined) {
    throw new InputError(`${what}: expected ${example}, found ${JSON.stringify(text)}`);
  }
  return Math.round(Number(match[1]) * factor);
}

/**
 * Bytes of "4MiB", "4M" (both powers of two), "4MB" (power of ten) or a plain number. Throws
 * InputError.
 */
export function parseBytes(text: string, what: string): number {
  return read(text, what, SIZE_UNITS, "a size such as 16MiB");
}

/** Nanoseconds of "8ms", "40us", "0.27s". Throws InputError. */
export function parseNs(text: string, what: string): number {
  return read(text, what, TIME_UNITS, "a time with its unit such as 8ms");
}

/** A whole number within [min, max]. Throws InputError. */
export function parseWhole(text: string, what: string, min: number, max: number): number {
  const value = /^\d+$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    const found = JSON.stringify(text);
    throw new InputError(`${what}: expected a whole number from ${min} to ${max}, found ${found}`);
  }
  return value;
}

/** A number within [min, max]. Throws InputError. */
export function parseNumber(text: string, what: string, min: number, max: number): number {
  const value = /^\d+(\.\d+)?$/.test(text.trim()) ? Number(text) : Number.NaN;
  if (!(value >= min && value <= max)) {
    throw new InputError(
      `${what}: expected a number from ${min} to ${max}, found ${JSON.stringify(text)}`,
    );
  }
  return value;
}

/** "16MiB", "1.5GiB", "10000B": the shortest exact spelling, which parseBytes reads back. */
export function formatBytes(bytes: number): string {
  for (const [unit, factor] of [
    ["GiB", 2 ** 30],
    ["MiB", 2 ** 20],
    ["KiB", 2 ** 10],
  ] as const) {
    const value = bytes / factor;
    if (value >= 1 && Number.isInteger(value * 4)) return `${value}${unit}`;
  }
  return `${bytes}B`;
}

/** "8ms", "40us", "1.5s": which parseNs reads back. */
export function formatNs(ns: number): string {
  if (ns !== 0 && ns % 1e8 === 0) return `${ns / 1e9}s`;
  if (ns % 1e5 === 0) return `${ns / 1e6}ms`;
  return ns % 100 === 0 ? `${ns / 1e3}us` : `${ns}ns`;
}
