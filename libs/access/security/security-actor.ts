import type { Principal } from '../principals/principal.js';
import type { SecurityActor } from './security-events.port.js';

/** The data of a principal that security events contain: ids, but no name. */
export function securityActorOf({ orgId, kind, id, userId }: Principal): SecurityActor {
  return { orgId, kind, id, ...(userId === undefined ? {} : { userId }) };
}
