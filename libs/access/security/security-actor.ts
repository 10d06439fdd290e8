import type { Principal } from '../principals/principal.js';
import type { SecurityActor } from './security-events.port.js';

/** What events tell of a principal: whose credential it was, and no name. */
export function securityActorOf({ orgId, kind, id, userId }: Principal): SecurityActor {
  return { orgId, kind, id, ...(userId === undefined ? {} : { userId }) };
}
