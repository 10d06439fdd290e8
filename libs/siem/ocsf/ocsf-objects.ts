import type { Json, JsonObject } from '#core';
import { given, PRODUCT } from './ocsf-event.js';

/** An actor in the form that audit rows and security events share. */
export interface OcsfActor {
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
  readonly userId: string | null;
}

/** `type_id` of a user. */
const USER_TYPES = { user: 1, system: 3, service: 4 } as const;

/** The OCSF object `actor`. */
export function actorOf(actor: OcsfActor): JsonObject {
  return { user: userOf(actor) };
}

/** The user to whom a credential belongs. A credential without a user is a service. */
export function userOf({ kind, id, name, userId }: OcsfActor): JsonObject {
  const type = kind === 'cli' ? 'system' : userId === null ? 'service' : 'user';
  return given({
    uid: userId ?? id,
    uid_alt: userId === null ? undefined : id,
    name,
    type_id: USER_TYPES[type],
  });
}

/** A user as the target of an event: a person, or a credential. */
export function targetUser(uid: string, isPerson: boolean, names: { name?: string; email?: string } = {}): JsonObject {
  return given({
    uid,
    name: names.name,
    email_addr: names.email,
    type_id: isPerson ? USER_TYPES.user : USER_TYPES.service,
  });
}

const LOOKS_LIKE_IP = /^[0-9a-f.:]{2,45}$/i;

/**
 * The OCSF object `src_endpoint`. Without an address, the service itself caused the event, from its command line or a
 * job.
 */
export function endpointOf(address: string | null): JsonObject {
  if (address === null) return { svc_name: PRODUCT };
  return LOOKS_LIKE_IP.test(address) ? { ip: address } : { name: address };
}

/** The OCSF object `api`. */
export function apiOf(operation: string, requestId: string | null): JsonObject {
  return given({
    operation,
    service: { name: PRODUCT },
    request: requestId === null ? undefined : { uid: requestId },
  });
}

/** Names of members that are read from changed resources. */
type Member = 'name' | 'display_name' | 'email' | 'role' | 'status' | 'user_id';

/** A member of a JSON object, if it is a text. */
export function textOf(value: Json | undefined, member: Member): string | undefined {
  const found = objectOf(value)?.[member];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A JSON value as an object; undefined if it is not an object. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
