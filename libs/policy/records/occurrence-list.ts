import type { Occurrence } from '#incidents';

/** Occurrences that are created when they are needed. An array can be used too. */
export interface OccurrenceList {
  readonly length: number;
  slice(start: number, end: number): readonly Occurrence[];
}

/** The occurrences of several lists, in chunks. */
export function* occurrencesOf(lists: Iterable<OccurrenceList>, most: number): Generator<Occurrence[]> {
  let group: Occurrence[] = [];
  for (const list of lists) {
    for (let at = 0; at < list.length;) {
      const end = Math.min(list.length, at + most - group.length);
      group.push(...list.slice(at, end));
      at = end;
      if (group.length < most) continue;
      yield group;
      group = [];
    }
  }
  if (group.length > 0) yield group;
}
