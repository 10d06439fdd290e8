import type { Actor, Visitor } from '#access';

/** A device that acts for itself, as the audit log remembers it. It may do nothing else. */
export function deviceActor(
  visitor: Visitor,
  device: { orgId: string; id: string; name: string; userId: string },
): Actor {
  const { orgId, id, name, userId } = device;
  return { ...visitor, orgId, kind: 'device', id, name, userId, scopes: new Set() };
}
