import type { Actor, Visitor } from '#access';

/** The actor in the audit log when a device acts for itself. The actor has no scopes. */
export function deviceActor(
  visitor: Visitor,
  device: { orgId: string; id: string; name: string; userId: string },
): Actor {
  const { orgId, id, name, userId } = device;
  return { ...visitor, orgId, kind: 'device', id, name, userId, scopes: new Set() };
}
