import type { Scope } from '../principals/scopes.js';

/** Metadata key of a route's scopes, one of which is required. */
export const REQUIRED_SCOPES = 'governance:scopes';

/** Metadata key of additional scopes, all of which are required. */
export const FURTHER_SCOPES = 'governance:further-scopes';

/** Metadata key of routes that are exempt from the request limit. */
export const UNLIMITED = 'governance:unlimited';

/** Metadata key of routes without a bearer credential. Their requests are limited per address. */
export const OPEN_ROUTE = 'governance:open';

/** OpenAPI extension with the scopes of an operation, one of which is required. */
export const SCOPES_EXTENSION = 'x-required-scopes';

/** OpenAPI extension with additional scopes of an operation, all of which are required. */
export const FURTHER_SCOPES_EXTENSION = 'x-further-scopes';

/** OpenAPI extension with the scopes that only some requests of an operation need. */
export const CONDITIONAL_SCOPES_EXTENSION = 'x-conditional-scopes';

/** Scopes that only some requests of a route need. */
export interface ConditionalScopes {
  /** The scopes, or a description if they depend on the request: `the scopes of the new token`. */
  scopes: readonly Scope[] | string;
  /** Completes the sentence "Needs these scopes when …". */
  when: string;
}

/** Error message for a caller without any of the scopes. */
export function lackOf(needed: readonly Scope[]): string {
  return `This needs the scope ${needed.join(' or ') || '(none can open this route)'}.`;
}

/** Error message for a caller without some of the additional scopes. */
export function lackOfFurther(lacking: readonly Scope[]): string {
  return `This needs the scope ${lacking.join(' and ')} as well.`;
}
