import type { SpendSubject } from './subject.js';

/** Dimensions by which a budget or limit can be split into parts. */
export const SCOPE_SPLITS = ['user', 'department', 'project', 'token'] as const;
/** Dimension by which a budget or limit is split into parts. */
export type ScopeSplit = (typeof SCOPE_SPLITS)[number];

/** The part of an entry that is not split. In a split entry, all requests without a value share this part. */
export const NO_PART = '';

const PARTS: Record<ScopeSplit, (subject: SpendSubject) => string | null | undefined> = {
  user: subject => subject.userId,
  department: subject => subject.department,
  project: subject => subject.project,
  token: subject => subject.tokenId,
};

/**
 * The part of a split budget or limit in which a request counts. All requests without a value count in one part, whose
 * name is empty. A caller can therefore not evade the limit by omitting the value.
 */
export function partOf(split: ScopeSplit | null | undefined, subject: SpendSubject): string {
  return split === null || split === undefined ? NO_PART : (PARTS[split](subject) ?? NO_PART);
}

/** Compares texts by code points, as the database does. JavaScript compares code units. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
