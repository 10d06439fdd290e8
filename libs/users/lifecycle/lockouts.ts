import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { MachineTokens, PersonalCredentials, type AuditEntry } from '#access';
import type { JsonObject, UserStatus } from '#core';
import { EventOutbox, type NewEvent } from '#outbox';
import type { SuspensionCause, User } from '../user.entity.js';

/** What of a user a change may turn into a lockout. */
export interface Access {
  readonly status: UserStatus;
  readonly suspensionCauses: readonly SuspensionCause[];
}

/** What the audit log keeps of a lockout. */
export interface LockoutTrace {
  /** Of the user, beside the change. */
  readonly left: JsonObject;
  /** Of the credentials that have ended. */
  readonly ended: readonly AuditEntry[];
}

const NOTHING: LockoutTrace = { left: {}, ended: [] };

/** Does what comes with a lockout: people are told, and credentials end for good. */
@Injectable()
export class Lockouts {
  constructor(
    private readonly outbox: EventOutbox,
    private readonly credentials: PersonalCredentials,
    private readonly machines: MachineTokens,
  ) {}

  /**
   * Called in the transaction of every change of one user, behind the user's row. A user who is suspended for a cause
   * that did not hold before loses all credentials; one who had access until now fires `user_locked_out`.
   * Machine tokens that go on working are named, because an identity provider cannot ask for their end.
   */
  async follow(em: EntityManager, user: User, before: Access, now: Date): Promise<LockoutTrace> {
    const hasNewCause = user.suspensionCauses.some(cause => !before.suspensionCauses.includes(cause));
    if (!hasNewCause) return NOTHING;
    const { orgId, id: userId } = user;
    if (before.status === 'active') await this.outbox.fire(em, orgId, [lockedOut(user)]);
    const leaver = { orgId, userId, now, endsMachineTokens: user.endsMachineTokens };
    const ended = await this.credentials.revokeAllOf(em, leaver);
    const { ids, total } = await this.machines.leftBy(em, orgId, userId);
    return { left: total === 0 ? {} : { machine_tokens: ids, machine_tokens_total: total }, ended };
  }
}

const REASONS: Record<SuspensionCause, string> = { offboarding: 'offboarded', scim: 'deprovisioned' };

/** The event that tells of a user's lockout: with the reason that was given, or else a word for its cause. */
function lockedOut(user: User): NewEvent<'user_locked_out'> {
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
