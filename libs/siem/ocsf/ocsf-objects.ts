import type { Json, JsonObject } from '#core';
import { given, PRODUCT } from './ocsf-event.js';

/** The actor, in the form of audit rows and security events. */
export interface OcsfActor {
  readonly kind: string;
  readonly id: string;
  readonly name?: string;
  readonly userId: string | null;
}

/** `type_id` of a user. */
const USER_TYPES = { user: 1, system: 3, service: 4 } as const;

/** The object `actor`. */
export function actorOf(actor: OcsfActor): JsonObject {
  return { user: userOf(actor) };
}

/** The user behind a credential. A credential without a person is a service. */
export function userOf({ kind, id, name, userId }: OcsfActor): JsonObject {
  const type = kind === 'cli' ? 'system' : userId === null ? 'service' : 'user';
  return given({
    uid: userId ?? id,
    uid_alt: userId === null ? undefined : id,
    name,
    type_id: USER_TYPES[type],
  });
}

/** A user as a target: a person, or the credential itself. */
export function targetUser(uid: string, isPerson: boolean, names: { name?: string; email?: string } = {}): JsonObject {
  return given({
    uid,
    name: names.name,
    email_addr: names.email,
    type_id: isPerson ? USER_TYPES.user : USER_TYPES.service,
  });
}

const LOOKS_LIKE_IP = /^[0-9a-f.:]{2,45}$/i;

/** The object `src_endpoint`. Without an address, the service itself caused the event, by its command line or a job. */
export function endpointOf(address: string | null): JsonObject {
  if (address === null) return { svc_name: PRODUCT };
  return LOOKS_LIKE_IP.test(address) ? { ip: address } : { name: address };
}

/** The object `api`. */
export function apiOf(operation: string, requestId: string | null): JsonObject {
  return given({
    operation,
    service: { name: PRODUCT },
    request: requestId === null ? undefined : { uid: requestId },
  });
}

/** Members to look up in the changed fields. */
type Member = 'name' | 'display_name' | 'email' | 'role' | 'status' | 'user_id';

/** A text among the members of a JSON object. */
export function textOf(value: Json | undefined, member: Member): string | undefined {
  const found = objectOf(value)?.[member];
  return typeof found === 'string' && found !== '' ? found : undefined;
}

/** A JSON value as an object, if it is one. */
export function objectOf(value: Json | undefined): JsonObject | undefined {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
}
