import type { SecurityEvent } from './security-events.port.js';

/** What JSON leaves as it is although a terminal or a reader of lines may act on it. */
const UNPRINTABLE = /[\u007f-\u009f\u2028\u2029]/g;

/** An event as one line of JSON. */
export function lineOf({ type, at, actor, address, requestId, route, reason, target }: SecurityEvent): string {
  const line = JSON.stringify({
    event: type,
    at: at.toISOString(),
    org_id: actor?.orgId ?? null,
    actor: actor && { kind: actor.kind, id: actor.id, user_id: actor.userId ?? null },
    address,
    request_id: requestId,
    route,
    reason,
    ...(target && { target }),
  });
  return line.replace(UNPRINTABLE, each => `\\u${each.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
