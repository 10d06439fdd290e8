import { DEFAULT_USER_ROLE, type User } from '../user.entity.js';

/** Replaces everything that says who a user is. The id, the status and the times stay. */
export function makeTombstone(user: User, now: Date): void {
  const email = `erased-${user.id}@erased.invalid`;
  user.change({ email, name: 'Erased user', department: null, role: DEFAULT_USER_ROLE, attributes: {} }, now);
  const noDeparture = {
    departureDate: null,
    departsAt: null,
    departureReason: null,
    departureEndsMachineTokens: false,
  };
  Object.assign(user, noDeparture, { erasedAt: now, updatedAt: now });
}
