import type { Scope } from '../principals/scopes.js';

/** Metadata key of the scopes of which a route needs one. */
export const REQUIRED_SCOPES = 'governance:scopes';

/** Metadata key of the scopes of which a route needs every one, beside one of {@link REQUIRED_SCOPES}. */
export const FURTHER_SCOPES = 'governance:further-scopes';

/** Metadata key of routes outside the request limit. */
export const UNLIMITED = 'governance:unlimited';

/** Metadata key of routes without a bearer credential. Their requests are limited per address. */
export const OPEN_ROUTE = 'governance:open';

/** Where the OpenAPI document lists the scopes of which an operation needs one. */
export const SCOPES_EXTENSION = 'x-required-scopes';

/** Extension of the OpenAPI document with the scopes that an operation needs in addition, all of them. */
export const FURTHER_SCOPES_EXTENSION = 'x-further-scopes';

/** Extension of the OpenAPI document with the scopes that only some requests of an operation need. */
export const CONDITIONAL_SCOPES_EXTENSION = 'x-conditional-scopes';

/** Scopes that only some requests of a route need. */
export interface ConditionalScopes {
  /** Scopes, or which they are where the request decides that: `the scopes of the new token`. */
  scopes: readonly Scope[] | string;
  /** Which requests: ends the sentence "Needs these when …". */
  when: string;
}

/** Message for a caller without any of the scopes. */
export function lackOf(needed: readonly Scope[]): string {
  return `This needs the scope ${needed.join(' or ') || '(none can open this route)'}.`;
}

/** Message for a caller who lacks some of the additional scopes. */
export function lackOfFurther(lacking: readonly Scope[]): string {
  return `This needs the scope ${lacking.join(' and ')} as well.`;
}
