/** Where a figure comes from; `given`: the user said so. */
export type Source = "measured" | "published" | "assumed" | "given" | "computed";

/** A figure with its provenance. `note` names the measurement, the publication or the reason. */
export interface Fact<T = number> {
  readonly value: T;
  readonly source: Source;
  readonly note: string;
}

export const measured = <T>(value: T, note: string): Fact<T> => ({
  value,
  source: "measured",
  note,
});
export const published = <T>(value: T, note: string): Fact<T> => ({
  value,
  source: "published",
  note,
});
export const assumed = <T>(value: T, note: string): Fact<T> => ({ value, source: "assumed", note });
export const given = <T>(value: T, note: string): Fact<T> => ({ value, source: "given", note });
export const computed = <T>(value: T, note: string): Fact<T> => ({
  value,
  source: "computed",
  note,
});

/** The bare values of a record of facts. */
export function valuesOf<T extends object>(facts: { readonly [K in keyof T]: Fact<T[K]> }): T {
  return Object.fromEntries(
    Object.entries<Fact<unknown>>(facts).map(([name, fact]) => [name, fact.value]),
  ) as T;
}
