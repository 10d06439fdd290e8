import type { Actor } from '#access';
import { ForbiddenError } from '#core';

/**
 * Returns the user to whom usage is restricted: undefined for all users, or the caller if the credential may read only
 * its own usage.
 * @throws ForbiddenError if the credential may not read the requested usage
 */
export function whoseUsage(actor: Actor, wanted: string | undefined): string | undefined {
  if (actor.scopes.has('usage:read')) return wanted;
  const own = actor.userId?.toLowerCase();
  if (own === undefined)
    throw new ForbiddenError('This credential may read its own usage only, but belongs to no user.');
  if (wanted !== undefined && wanted !== own) throw new ForbiddenError('This credential may read its own usage only.');
  return own;
}
