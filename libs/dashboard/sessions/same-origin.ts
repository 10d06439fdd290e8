import { ForbiddenError } from '#core';
import type { HttpRequest } from '#access';

/** The page sends this header with its own requests. A form on another site cannot send it. */
const PAGE_HEADER = 'x-governance-dashboard';

/** Header with which the page reports that a person has made an input. */
export const ACTIVITY_HEADER = 'x-dashboard-activity';

const SAFE = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Whether a request comes from a page of this origin, or from a URL that a person typed. For requests that other sites
 * cause, the cookie is ignored.
 */
export function isFromHere({ headers }: HttpRequest): boolean {
  const site = headers['sec-fetch-site'];
  return site === undefined || site === 'same-origin' || site === 'none';
}

/** @throws ForbiddenError if a request changes data without proof that the page sent it */
export function refuseForgery(request: HttpRequest): void {
  if (SAFE.has(request.method ?? '')) return;
  if (request.headers[PAGE_HEADER] === '1' && request.headers['sec-fetch-site'] === 'same-origin') return;
  throw new ForbiddenError(
    'A request with the cookie of the dashboard changes something only if its page sends it: with the headers ' +
      'X-Governance-Dashboard: 1 and Sec-Fetch-Site: same-origin. Programs send Authorization: Bearer <token>.',
  );
}
