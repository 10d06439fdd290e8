import type { Scope } from '../principals/scopes.js';

/** Metadata key of the scopes of which a route needs one. */
export const REQUIRED_SCOPES = 'governance:scopes';

/** Metadata key of the scopes of which a route needs every one, beside one of {@link REQUIRED_SCOPES}. */
export const FURTHER_SCOPES = 'governance:further-scopes';

/** Metadata key of routes outside the request limit. */
export const UNLIMITED = 'governance:unlimited';

/** Metadata key of routes that take no bearer: what they need stands in the path or body, and they count per address. */
export const OPEN_ROUTE = 'governance:open';

/** Where the OpenAPI document lists the scopes of which an operation needs one. */
export const SCOPES_EXTENSION = 'x-required-scopes';

/** Where the OpenAPI document lists the scopes that an operation needs besides, every one of them. */
export const FURTHER_SCOPES_EXTENSION = 'x-further-scopes';

/** Where the OpenAPI document lists what an operation needs besides for some requests. */
export const CONDITIONAL_SCOPES_EXTENSION = 'x-conditional-scopes';

/** What some requests of a route need besides. */
export interface ConditionalScopes {
  /** Scopes, or which they are where the request decides that: `the scopes of the new token`. */
  scopes: readonly Scope[] | string;
  /** Which requests: ends the sentence "Needs these when …". */
  when: string;
}

/** What a caller without any of the scopes is told. */
export function lackOf(needed: readonly Scope[]): string {
  return `This needs the scope ${needed.join(' or ') || '(none can open this route)'}.`;
}

/** What a caller is told who lacks some of the further scopes. */
export function lackOfFurther(lacking: readonly Scope[]): string {
  return `This needs the scope ${lacking.join(' and ')} as well.`;
}
