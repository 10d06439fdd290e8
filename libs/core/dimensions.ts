import { isStorableText } from './text.js';

/** Labels of a decision or of usage, by key. */
export type Tags = Readonly<Record<string, string>>;

/** Dimensions of a decision or of usage, in addition to the user and the model. */
export interface Dimensions {
  /** Name of the project, case-sensitive; null if none was given. */
  readonly project: string | null;
  /** Sorted by key; null if there are none. */
  readonly tags: Tags | null;
}

/** No project and no tags. */
export const NO_DIMENSIONS: Dimensions = { project: null, tags: null };

/** Maximum length of a project name and of a tag value. */
export const DIMENSION_MAX_LENGTH = 255;

/** Maximum number of tags of a decision or usage event. */
export const TAGS_MAX = 8;

/** Valid tag keys, as the source of a regular expression. */
const TAG_KEY_PATTERN = '^[A-Za-z0-9][A-Za-z0-9_./:-]{0,62}$';

const TAG_KEY = new RegExp(TAG_KEY_PATTERN, 'u');

/** The invalid field, such as `tags.team`, and how to correct it. */
export interface DimensionDefect {
  readonly field: string;
  readonly message: string;
}

/** Returned for invalid dimensions. */
export class DimensionRefusal implements DimensionDefect {
  constructor(
    readonly field: string,
    readonly message: string,
  ) {}
}

const TEXT_RULE = `must be a text of 1 to ${DIMENSION_MAX_LENGTH} characters that is not blank`;
const CONTROL = /\p{Cc}/u;

/**
 * Reads `project` and `tags` of a request. Returns the dimensions or the error. A missing value, null and an empty tags
 * object mean none. Never throws.
 */
export function readDimensions(project: unknown, tags: unknown): Dimensions | DimensionRefusal {
  const problem = projectDefect(project) ?? tagsDefect(tags);
  if (problem) return new DimensionRefusal(problem.field, problem.message);
  const named = tags === undefined || tags === null ? [] : Object.entries(tags as Tags);
  if (named.length === 0 && !project) return NO_DIMENSIONS;
  return { project: (project as string | null | undefined) ?? null, tags: named.length === 0 ? null : inOrder(named) };
}

/** The error in a project; undefined if it is valid or missing. */
export function projectDefect(value: unknown): DimensionDefect | undefined {
  if (value === undefined || value === null) return undefined;
  const message = textDefect(value);
  return message === undefined ? undefined : { field: 'project', message };
}

/** The error in tags; undefined if they are valid or missing. */
export function tagsDefect(value: unknown): DimensionDefect | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'object' || Array.isArray(value)) {
    return { field: 'tags', message: 'must be an object of texts, such as {"team": "search"}' };
  }
  const pairs = Object.entries(value);
  if (pairs.length > TAGS_MAX) {
    return {
      field: 'tags',
      message: `has ${pairs.length} pairs; send at most ${TAGS_MAX}, and put the rest into metadata`,
    };
  }
  for (const [key, text] of pairs) {
    if (!TAG_KEY.test(key)) return { field: 'tags', message: KEY_RULE };
    const message = textDefect(text);
    if (message !== undefined) return { field: `tags.${key}`, message };
  }
  return undefined;
}

const KEY_RULE =
  'has a key that is not 1 to 63 letters, digits and characters of _ . / : -, the first one a letter or digit';

/** Whether a text is a valid tag key. */
export function isTagKey(text: string): boolean {
  return TAG_KEY.test(text);
}

/** The value of a tag; undefined if there is no such key. */
export function tagOf(tags: Tags | null, key: string): string | undefined {
  return tags !== null && Object.hasOwn(tags, key) ? tags[key] : undefined;
}

/** Canonical JSON with sorted keys. Equal tags result in equal texts. Null if there are no tags. */
export function tagsText(tags: Tags | null): string | null {
  return tags === null ? null : JSON.stringify(inOrder(Object.entries(tags)));
}

/**
 * Dimensions of a usage event. Dimensions of its decision are used where the event has none. Tags are not merged: if
 * the event has tags, the tags of the decision are ignored.
 */
export function dimensionsOr(own: Dimensions, otherwise: Dimensions): Dimensions {
  return { project: own.project ?? otherwise.project, tags: own.tags ?? otherwise.tags };
}

/** The project and tags that a credential sets for its requests. */
export interface DimensionBounds {
  readonly project?: string | null | undefined;
  readonly tags?: Tags | null | undefined;
}

/**
 * Merges the tags of a request with the tags of its credential. If both have a key, the credential's value is used.
 * Returns a refusal if there are too many tags.
 */
export function boundTags(own: Tags | null | undefined, bounds: Tags): Tags | DimensionRefusal {
  const added = Object.entries(own ?? {}).filter(([key]) => !Object.hasOwn(bounds, key));
  const room = TAGS_MAX - Object.keys(bounds).length;
  if (added.length <= room) return inOrder([...added, ...Object.entries(bounds)]);
  return new DimensionRefusal(
    'tags',
    `has ${added.length} pairs besides the tags of your access token; send at most ${room}`,
  );
}

function textDefect(value: unknown): string | undefined {
  if (typeof value !== 'string' || value.trim() === '' || value.length > DIMENSION_MAX_LENGTH) return TEXT_RULE;
  return isStorableText(value) && !CONTROL.test(value) ? undefined : 'must not contain control characters';
}

/** Sorts keys by code unit. JavaScript objects still list integer keys first. */
function inOrder(named: readonly (readonly [string, string])[]): Tags {
  return Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));
}
