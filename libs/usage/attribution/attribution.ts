import { hash } from 'node:crypto';
import { tagsText, type Dimensions, type Tags } from '#core';

/** What usage counts for, beside its person, model and provider. */
export interface Attribution extends Dimensions {
  /** The person's department when the usage happened. */
  readonly department: string | null;
  /** The access token that the usage was made with; null where it was none, or none is known. */
  readonly tokenId: string | null;
}

/** The attribution of usage that was stored before there were attributions. */
export const NO_ATTRIBUTION = '00000000-0000-0000-0000-000000000000';

/** Counts in place of a value that is one too many. Only reports show it: events keep what was sent. */
export const OTHER_VALUE = '(other)';

/** Equal for equal attributions only. NUL stands in none of the texts, and none of them is empty. */
export function attributionText({ department, project, tags, tokenId }: Attribution): string {
  return `${department ?? ''}\0${project ?? ''}\0${tagsText(tags) ?? ''}\0${tokenId ?? ''}`;
}

/** The id of an attribution, made from its content: every process makes the same one without asking. */
export function attributionId(text: string): string {
  const digest = hash('sha256', text, 'hex');
  // A UUID of version 8: 122 bits of the digest.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`];
  return [...parts, digest.slice(20, 32)].join('-');
}

/** The same without the token: totals of the organization know none. */
export function shared(attribution: Attribution): Attribution {
  return attribution.tokenId === null ? attribution : { ...attribution, tokenId: null };
}

/** Tags with another value each. */
export function mapTags(tags: Tags | null, value: (key: string, old: string) => string | undefined): Tags | null {
  if (tags === null) return null;
  const kept = Object.entries(tags).flatMap(([key, old]) => {
    const next = value(key, old);
    return next === undefined ? [] : [[key, next] as const];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
