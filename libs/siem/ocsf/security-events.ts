import type { JsonObject } from '#core';
import { given, ocsfEvent, PRODUCT, type Activity, type RecordSource } from './ocsf-event.js';
import { apiOf, endpointOf, userOf } from './ocsf-objects.js';

/** The types of security events that are sent. Revocations are not included, because they are rows of the audit log. */
export const STREAMED_TYPES = ['sign_in', 'sign_in_failed', 'access_denied', 'rate_limited'] as const;

/** One of {@link STREAMED_TYPES}. */
export type StreamedType = (typeof STREAMED_TYPES)[number];

/** The data of a security event. It is stored until a sink has accepted it. */
export interface SecurityFacts {
  readonly type: StreamedType;
  /** ISO 8601. */
  readonly at: string;
  readonly actor: { readonly kind: string; readonly id: string; readonly user_id: string | null } | null;
  readonly address: string | null;
  readonly request_id: string | null;
  /** Method and route; null if there was no request. */
  readonly route: string | null;
  readonly reason: string;
  /**
   * Number of events that this event represents, and the time of the first of them. Default: the event represents
   * itself.
   */
  readonly left_out?: { readonly count: number; readonly since: string };
}

const METHODS: ReadonlyMap<string, Activity> = new Map([
  ['POST', { id: 1, name: 'Create' }],
  ['GET', { id: 2, name: 'Read' }],
  ['HEAD', { id: 2, name: 'Read' }],
  ['PUT', { id: 3, name: 'Update' }],
  ['PATCH', { id: 3, name: 'Update' }],
  ['DELETE', { id: 4, name: 'Delete' }],
]);

const CODES = { sign_in_failed: '401', access_denied: '403', rate_limited: '429' } as const;

/** The user of a request whose credential was not accepted. `type_id` 0 means unknown. */
const NOBODY: JsonObject = { name: 'unknown', type_id: 0 };

/** The OCSF event of a security event. */
export function securityEvent(source: RecordSource, facts: SecurityFacts): JsonObject {
  const { type, address } = facts;
  const isSignIn = type === 'sign_in' || type === 'sign_in_failed';
  return ocsfEvent(
    {
      source,
      log: 'security',
      class: isSignIn ? 'authentication' : 'apiActivity',
      activity: isSignIn ? { id: 1, name: 'Logon' } : activityOf(facts.route),
      code: type,
      at: new Date(Date.parse(facts.left_out?.since ?? facts.at)),
      originalTime: facts.left_out?.since ?? facts.at,
      message: facts.reason,
      severity: type === 'sign_in' ? 'informational' : 'low',
      requestId: facts.request_id,
    },
    {
      ...(isSignIn ? signInOf(facts) : callOf(facts)),
      ...outcomeOf(facts),
      ...countOf(facts),
      src_endpoint: endpointOf(address),
    },
  );
}

function signInOf({ actor, route }: SecurityFacts): JsonObject {
  return given({
    user: userBehind(actor),
    service: { name: PRODUCT },
    is_remote: true,
    unmapped: route === null ? undefined : { route },
  });
}

function callOf({ actor, route, request_id: requestId }: SecurityFacts): JsonObject {
  return { actor: { user: userBehind(actor) }, api: apiOf(route ?? 'unknown', requestId) };
}

function outcomeOf({ type, reason }: SecurityFacts): JsonObject {
  return type === 'sign_in' ? { status_id: 1 } : { status_id: 2, status_code: CODES[type], status_detail: reason };
}

function countOf({ at, left_out: leftOut }: SecurityFacts): JsonObject {
  if (leftOut === undefined) return {};
  return { count: leftOut.count, start_time: Date.parse(leftOut.since), end_time: Date.parse(at) };
}

function activityOf(route: string | null): Activity {
  return METHODS.get(route?.split(' ', 1)[0] ?? '') ?? { id: 0, name: 'Unknown' };
}

function userBehind(actor: SecurityFacts['actor']): JsonObject {
  return actor === null ? NOBODY : userOf({ kind: actor.kind, id: actor.id, userId: actor.user_id });
}
