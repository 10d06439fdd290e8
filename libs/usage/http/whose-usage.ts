import type { Actor } from '#access';
import { ForbiddenError } from '#core';

/**
 * Everybody's (undefined), somebody's, or one's own where the credential allows no more.
 * @throws ForbiddenError where it allows nothing of what is wanted
 */
export function whoseUsage(actor: Actor, wanted: string | undefined): string | undefined {
  if (actor.scopes.has('usage:read')) return wanted;
  const own = actor.userId?.toLowerCase();
  if (own === undefined)
    throw new ForbiddenError('This credential may read its own usage only, but belongs to no user.');
  if (wanted !== undefined && wanted !== own) throw new ForbiddenError('This credential may read its own usage only.');
  return own;
}
