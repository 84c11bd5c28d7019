/**
 * Splits a comma list whose items may have parameters of their own:
 * "jbd2,threshold:low=0.5,high=0.6" is two items, because "high=0.6" is a parameter and belongs to
 * the item before it.
 */
export function splitList(texts: readonly string[]): string[] {
  const items: string[] = [];
  for (const part of texts.flatMap((text) => text.split(","))) {
    const last = items.length - 1;
    if (/^[a-z][\w-]*=/i.test(part) && last >= 0) items[last] += `,${part}`;
    else items.push(part);
  }
  return items;
}
