import { DimensionRefusal } from '#core';
import { mapTags, OTHER_VALUE, type Attribution } from './attribution.js';

/**
 * Maximum number of projects, tag keys, values per tag key, and combinations that the reports of one organization
 * distinguish.
 */
export const DIMENSION_BOUNDS = { projects: 10_000, tagKeys: 50, tagValues: 1_000, combinations: 100_000 } as const;

/** Dimension whose values are the keys of tags. */
export const TAG_KEYS = 'tag';

/** A value of a dimension, such as `project` and `copilot`, or `tag:team` and `search`. */
export interface DimensionValue {
  readonly dimension: string;
  readonly value: string;
}

/** The maximum number of values of a dimension. Undefined if the organization itself defines the values. */
export function boundOf(dimension: string): number | undefined {
  if (dimension === 'project') return DIMENSION_BOUNDS.projects;
  if (dimension === TAG_KEYS) return DIMENSION_BOUNDS.tagKeys;
  return dimension.startsWith('tag:') ? DIMENSION_BOUNDS.tagValues : undefined;
}

/** Every value that an attribution names. */
export function valuesOf({ department, project, tags }: Attribution): DimensionValue[] {
  const values: DimensionValue[] = [];
  if (department !== null) values.push({ dimension: 'department', value: department });
  if (project !== null) values.push({ dimension: 'project', value: project });
  for (const [key, value] of Object.entries(tags ?? {})) {
    values.push({ dimension: TAG_KEYS, value: key }, { dimension: `tag:${key}`, value });
  }
  return values;
}

/** The attribution as reports count it, and the warnings for the sender of the usage. */
export interface Bounded {
  readonly attribution: Attribution;
  readonly notes: readonly DimensionRefusal[];
}

/**
 * Replaces every value beyond a bound by `(other)`. Removes tags whose key is beyond the bound, because usage cannot be
 * grouped by such a key.
 */
export function bounded(attribution: Attribution, isKnown: (value: DimensionValue) => boolean): Bounded {
  const notes: DimensionRefusal[] = [];
  const { project } = attribution;
  const keepsProject = project === null || isKnown({ dimension: 'project', value: project });
  if (!keepsProject) notes.push(tooMany('project', DIMENSION_BOUNDS.projects));
  const tags = mapTags(attribution.tags, (key, value) => {
    if (!isKnown({ dimension: TAG_KEYS, value: key })) {
      notes.push(new DimensionRefusal('tags', KEYS_NOTE));
      return undefined;
    }
    if (isKnown({ dimension: `tag:${key}`, value })) return value;
    notes.push(tooMany(`tags.${key}`, DIMENSION_BOUNDS.tagValues));
    return OTHER_VALUE;
  });
  return { attribution: { ...attribution, project: keepsProject ? project : OTHER_VALUE, tags }, notes };
}

/** Replaces all tag values by `(other)`, because the organization has too many combinations. */
export function collapsed({ attribution, notes }: Bounded): Bounded {
  const note = new DimensionRefusal('tags', COMBINATIONS_NOTE);
  const project = attribution.project === null ? null : OTHER_VALUE;
  const tags = mapTags(attribution.tags, () => OTHER_VALUE);
  return { attribution: { ...attribution, project, tags }, notes: [...notes, note] };
}

const KEYS_NOTE =
  `has a key beyond the ${DIMENSION_BOUNDS.tagKeys} keys that reports tell apart; ` +
  'the event counts without it. Put values that you do not group by into metadata';
const COMBINATIONS_NOTE =
  `and project are beyond the ${DIMENSION_BOUNDS.combinations} combinations that reports tell apart; ` +
  'the event counts under (other). Put values that differ from call to call into metadata';

function tooMany(field: string, bound: number): DimensionRefusal {
  const message =
    `is beyond the ${bound} values that reports tell apart; ` +
    'the event counts under (other). Put values that differ from call to call into metadata';
  return new DimensionRefusal(field, message);
}
