import type { Principal } from '../principals/principal.js';
import type { SecurityActor } from './security-events.port.js';

/** The part of a principal that events contain: ids, but no name. */
export function securityActorOf({ orgId, kind, id, userId }: Principal): SecurityActor {
  return { orgId, kind, id, ...(userId === undefined ? {} : { userId }) };
}
