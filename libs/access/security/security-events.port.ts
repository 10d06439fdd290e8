import type { Principal } from '../principals/principal.js';

/** What can happen that matters to security. */
export const SECURITY_EVENT_TYPES = [
  'sign_in',
  'sign_in_failed',
  'access_denied',
  'rate_limited',
  'access_revoked',
] as const;

/** One of {@link SECURITY_EVENT_TYPES}. */
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number];

/** Who was behind a request, as far as that is known. Ids only: names and addresses of people stay out of logs. */
export interface SecurityActor {
  readonly orgId: string;
  readonly kind: Principal['kind'];
  /** Id of the token, or the subject. Never a secret. */
  readonly id: string;
  readonly userId?: string;
}

/** Something that matters to security: who, from where, what. It never holds a secret. */
export interface SecurityEvent {
  /**
   * `sign_in`: a credential was accepted from an address, told once an hour for both. `sign_in_failed`: 401.
   * `access_denied`: 403. `rate_limited`: 429. `access_revoked`: a token, a device or a person has lost access.
   */
  readonly type: SecurityEventType;
  readonly at: Date;
  /** Null where no credential was accepted. */
  readonly actor: SecurityActor | null;
  /** Where it came from, proxies that are trusted taken into account; null where it is not known. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** Method and route, such as `GET /v1/policies/:id`; null where it was no request. */
  readonly route: string | null;
  /** What happened, for a person: the sentence of the refusal, or the action of the audit log. */
  readonly reason: string;
  /** What lost access, for `access_revoked`. */
  readonly target?: { readonly type: string; readonly id: string };
}

/** Is told what happens that matters to security. The default writes lines to the log; a host may send them elsewhere. */
export abstract class SecurityEvents {
  /**
   * Called on the path of requests, each time: must be fast and must not throw. A flood of refused requests is a flood
   * of calls: count what you do not keep.
   */
  abstract record(event: SecurityEvent): void;
}
