import type { NewEvent } from '#outbox';
import type { SuspensionCause, User } from '../user.entity.js';

const REASONS: Record<SuspensionCause, string> = { offboarding: 'offboarded', scim: 'deprovisioned' };

/** The event that tells of a user's lockout: with the reason that was given, or else a word for its cause. */
export function lockedOut(user: User): NewEvent<'user_locked_out'> {
  const cause = user.suspensionCauses[0] ?? 'offboarding';
  const given = cause === 'offboarding' ? user.departureReason : null;
  return {
    type: 'user_locked_out',
    data: {
      user_id: user.id,
      email: user.email,
      reason: given ?? REASONS[cause],
      locked_out_at: (user.suspendedAt ?? user.updatedAt).toISOString(),
    },
  };
}
