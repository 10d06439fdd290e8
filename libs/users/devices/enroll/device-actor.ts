import type { Actor, Visitor } from '#access';

/** The actor in the audit log for a device that acts for itself. It has no scopes. */
export function deviceActor(
  visitor: Visitor,
  device: { orgId: string; id: string; name: string; userId: string },
): Actor {
  const { orgId, id, name, userId } = device;
  return { ...visitor, orgId, kind: 'device', id, name, userId, scopes: new Set() };
}
