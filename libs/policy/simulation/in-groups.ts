/** Puts neighbours into groups of at most so many bytes together; what is larger is a group of its own. */
export function* inGroups<Item extends { readonly bytes: number }>(
  items: readonly Item[],
  bytesMax: number,
): Generator<Item[]> {
  let group: Item[] = [];
  let sum = 0;
  for (const item of items) {
    if (group.length > 0 && sum + item.bytes > bytesMax) {
      yield group;
      group = [];
      sum = 0;
    }
    group.push(item);
    sum += item.bytes;
  }
  if (group.length > 0) yield group;
}
