import type { Actor } from '#access';
import { ForbiddenError } from '#core';

/** Undefined for a credential that may read every device; otherwise the user whose devices alone it may read. */
export function onlyOf({ scopes, userId }: Actor): string | undefined {
  if (scopes.has('devices:read')) return undefined;
  if (userId === undefined) {
    throw new ForbiddenError('This credential may read its own devices only, but belongs to no user.');
  }
  return userId.toLowerCase();
}
