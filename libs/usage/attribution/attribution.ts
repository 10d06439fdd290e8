import { hash } from 'node:crypto';
import { tagsText, type Dimensions, type Tags } from '#core';

/** Attribution of usage, besides user, model and provider. */
export interface Attribution extends Dimensions {
  /** The user's department when the usage happened. */
  readonly department: string | null;
  /** The access token of the request that caused the usage; null if there was none or it is unknown. */
  readonly tokenId: string | null;
}

/** The attribution of usage that an earlier version stored without one. */
export const NO_ATTRIBUTION = '00000000-0000-0000-0000-000000000000';

/** Name under which reports combine all values beyond a bound. Events keep their original value. */
export const OTHER_VALUE = '(other)';

/** Returns equal keys only for equal attributions. No text contains NUL, and no text is empty. */
export function attributionText({ department, project, tags, tokenId }: Attribution): string {
  return `${department ?? ''}\0${project ?? ''}\0${tagsText(tags) ?? ''}\0${tokenId ?? ''}`;
}

/** Derives the id of an attribution from its content, so that every process computes the same id. */
export function attributionId(text: string): string {
  const digest = hash('sha256', text, 'hex');
  // A UUID of version 8: 122 bits of the digest.
  const parts = [digest.slice(0, 8), digest.slice(8, 12), `8${digest.slice(13, 16)}`, `a${digest.slice(17, 20)}`];
  return [...parts, digest.slice(20, 32)].join('-');
}

/** The attribution without the token. Totals of the organization use it, because they do not distinguish tokens. */
export function shared(attribution: Attribution): Attribution {
  return attribution.tokenId === null ? attribution : { ...attribution, tokenId: null };
}

/** Returns the tags with one value replaced. */
export function mapTags(tags: Tags | null, value: (key: string, old: string) => string | undefined): Tags | null {
  if (tags === null) return null;
  const kept = Object.entries(tags).flatMap(([key, old]) => {
    const next = value(key, old);
    return next === undefined ? [] : [[key, next] as const];
  });
  return kept.length === 0 ? null : Object.fromEntries(kept);
}
