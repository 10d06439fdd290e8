import { DIMENSION_MAX_LENGTH, isStorableText, isTagKey, isUuid, tagOf } from '#core';
import { ModelPattern } from '../prices/index.js';
import type { SpendSubject } from './subject.js';

/**
 * Conditions that must all hold, by the names of the API: `department`, `project`, `model` (a name or a pattern with
 * `*`), `user_id`, `token`, and `tags.<key>`.
 */
export type ScopeMatch = Readonly<Record<string, string>>;

/** Maximum length of a condition's value, in UTF-16 units. */
const SCOPE_TEXT_MAX = DIMENSION_MAX_LENGTH;

/** Maximum number of conditions in one scope. */
const SCOPE_CONDITIONS_MAX = 12;

const TAG_PREFIX = 'tags.';
const IDS: ReadonlySet<string> = new Set(['user_id', 'token']);
const FIELDS: ReadonlySet<string> = new Set(['department', 'project', 'model', 'user_id', 'token']);

/** List of the fields of conditions, for error messages. */
const SCOPE_FIELDS = 'department, project, model, user_id, token, tags.<key>';

/**
 * Reads the value that a condition on the field is compared with. Undefined and null both mean that there is no value.
 */
export function readerOf(field: string): (subject: SpendSubject) => string | null | undefined {
  if (field === 'department') return subject => subject.department;
  if (field === 'project') return subject => subject.project;
  if (field === 'user_id') return subject => subject.userId;
  if (field === 'token') return subject => subject.tokenId;
  if (field === 'model') return subject => subject.model.trim().toLowerCase();
  const key = field.slice(TAG_PREFIX.length);
  return subject => tagOf(subject.tags ?? null, key);
}

/** Compiles a condition to a predicate for that value. */
export function testOf(field: string, value: string): (subject: SpendSubject) => boolean {
  if (field === 'model') {
    const pattern = new ModelPattern(value);
    return subject => pattern.matches(subject.model);
  }
  const read = readerOf(field);
  return subject => read(subject) === value;
}

/** Returns the fault of a conjunction, or undefined. */
export function matchFault(value: unknown): string | undefined {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return `must be an object of conditions on ${SCOPE_FIELDS}`;
  }
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > SCOPE_CONDITIONS_MAX) {
    return `must have 1 to ${SCOPE_CONDITIONS_MAX} conditions; for everything, send the text "organization"`;
  }
  for (const [field, wanted] of entries) {
    const isTag = field.startsWith(TAG_PREFIX) && isTagKey(field.slice(TAG_PREFIX.length));
    if (!isTag && !FIELDS.has(field)) return `has a condition on an unknown field; the fields are ${SCOPE_FIELDS}`;
    const fault = valueFault(field, wanted);
    if (fault !== undefined) return `${field} ${fault}`;
  }
  return undefined;
}

/** Normalizes a conjunction: ids in lower case, fields in order. */
export function normalMatch(match: ScopeMatch): ScopeMatch {
  const entries = Object.entries(match).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(entries.map(([field, value]) => [field, IDS.has(field) ? value.toLowerCase() : value]));
}

function valueFault(field: string, value: unknown): string | undefined {
  if (IDS.has(field)) return isUuid(value) ? undefined : 'must be a UUID';
  if (typeof value !== 'string' || value.trim() === '' || value.length > SCOPE_TEXT_MAX) {
    return `must be a text of 1 to ${SCOPE_TEXT_MAX} characters that is not blank`;
  }
  return isStorableText(value) ? undefined : 'must not contain NUL or half of a surrogate pair';
}
