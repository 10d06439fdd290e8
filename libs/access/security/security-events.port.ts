import type { Principal } from '../principals/principal.js';

/** Types of security events. */
export const SECURITY_EVENT_TYPES = [
  'sign_in',
  'sign_in_failed',
  'access_denied',
  'rate_limited',
  'access_revoked',
] as const;

/** One of {@link SECURITY_EVENT_TYPES}. */
export type SecurityEventType = (typeof SECURITY_EVENT_TYPES)[number];

/** The known data of a request's actor. Contains ids only, to keep personal data out of logs. */
export interface SecurityActor {
  readonly orgId: string;
  readonly kind: Principal['kind'];
  /** Id of the token, or the subject. Never a secret. */
  readonly id: string;
  readonly userId?: string;
}

/** A security event. Never contains a secret. */
export interface SecurityEvent {
  /**
   * `sign_in`: a credential was accepted from an address; at most one event per hour for each pair. `sign_in_failed`:
   * 401. `access_denied`: 403. `rate_limited`: 429. `access_revoked`: a token, a device or a user has lost access.
   */
  readonly type: SecurityEventType;
  readonly at: Date;
  /** Null if no credential was accepted. */
  readonly actor: SecurityActor | null;
  /** Client address, resolved through trusted proxies; null if unknown. */
  readonly address: string | null;
  readonly requestId: string | null;
  /** Method and route, such as `GET /v1/policies/:id`; null if there was no request. */
  readonly route: string | null;
  /** The error message of the refusal, or the action of the audit log. */
  readonly reason: string;
  /** For `access_revoked`: the token, device or user that has lost access. */
  readonly target?: { readonly type: string; readonly id: string };
}

/** Receives security events. The default writes them to the log; a host may send them elsewhere. */
export abstract class SecurityEvents {
  /**
   * Called for each event while a request waits: must be fast and must not throw. In a flood of refused requests, drop
   * events and count the dropped ones.
   */
  abstract record(event: SecurityEvent): void;
}
