import type { SpendSubject } from './subject.js';

/** By what one budget or limit becomes one for each. */
export const SCOPE_SPLITS = ['user', 'department', 'project', 'token'] as const;
/** By what one budget or limit becomes one for each. */
export type ScopeSplit = (typeof SCOPE_SPLITS)[number];

/** The part of what is not split, and of those who have no value: they share one. */
export const NO_PART = '';

const PARTS: Record<ScopeSplit, (subject: SpendSubject) => string | null | undefined> = {
  user: subject => subject.userId,
  department: subject => subject.department,
  project: subject => subject.project,
  token: subject => subject.tokenId,
};

/**
 * Which part of a split budget or limit a request counts in. Those without a value share the part of the empty text, so
 * that nobody escapes by naming nothing.
 */
export function partOf(split: ScopeSplit | null | undefined, subject: SpendSubject): string {
  return split === null || split === undefined ? NO_PART : (PARTS[split](subject) ?? NO_PART);
}

/** The order of texts in the database, by their bytes: by code points, where texts in JavaScript compare code units. */
export function byBytes(a: string, b: string): number {
  if (a === b) return 0;
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}
