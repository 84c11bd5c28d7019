/**
 * Lines of text in columns two blanks apart; `align`: "l" or "r" per column. No trailing blanks.
 */
export function columns(rows: readonly (readonly string[])[], align: string): string[] {
  const widths = Array.from(align, (_, i) =>
    Math.max(0, ...rows.map((row) => (row[i] ?? "").length)),
  );
  return rows.map((row) =>
    row
      .map((cell, i) => {
        const width = widths[i] ?? 0;
        return align[i] === "r" ? cell.padStart(width) : cell.padEnd(width);
      })
      .join("  ")
      .trimEnd(),
  );
}
