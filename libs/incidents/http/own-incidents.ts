import type { Actor } from '#access';
import { ForbiddenError } from '#core';

/** Text of the API reference about credentials that may only read incidents about their own user. */
export const ONLY_OWN =
  'With the scope incidents:read:own, only incidents about the user of the credential, and conditions without operands.';

/** The only user whose incidents a credential may read; undefined if it may read all. */
export function onlyAbout({ scopes, userId }: Actor): string | undefined {
  if (scopes.has('incidents:read')) return undefined;
  if (userId === undefined) {
    throw new ForbiddenError('This credential may read its own incidents only, but belongs to no user.');
  }
  return userId.toLowerCase();
}
