import type { Actor } from '#access';
import { ForbiddenError } from '#core';

/** What the API reference says of credentials that may read their own incidents only. */
export const ONLY_OWN =
  'With the scope incidents:read:own, only incidents about the user of the credential, and conditions without operands.';

/** Undefined for a credential that may read every incident; otherwise the user whose incidents alone it may read. */
export function onlyAbout({ scopes, userId }: Actor): string | undefined {
  if (scopes.has('incidents:read')) return undefined;
  if (userId === undefined) {
    throw new ForbiddenError('This credential may read its own incidents only, but belongs to no user.');
  }
  return userId.toLowerCase();
}
