import type { Scope } from '../principals/scopes.js';

/** Metadata key of the scopes of which a route needs one. */
export const REQUIRED_SCOPES = 'governance:scopes';

/** Metadata key of routes outside the request limit. */
export const UNLIMITED = 'governance:unlimited';

/** Metadata key of routes that take no bearer: what they need stands in the path or body, and they count per address. */
export const OPEN_ROUTE = 'governance:open';

/** Where the OpenAPI document lists the scopes of which an operation needs one. */
export const SCOPES_EXTENSION = 'x-required-scopes';

/** What a caller without any of the scopes is told. */
export function lackOf(needed: readonly Scope[]): string {
  return `This needs the scope ${needed.join(' or ') || '(none can open this route)'}.`;
}
