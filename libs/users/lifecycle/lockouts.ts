import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { MachineTokens, PersonalCredentials, type AuditEntry } from '#access';
import type { JsonObject, UserStatus } from '#core';
import { EventOutbox, type NewEvent } from '#outbox';
import type { SuspensionCause, User } from '../user.entity.js';

/** The state of a user before a change that may become a lockout. */
export interface Access {
  readonly status: UserStatus;
  readonly suspensionCauses: readonly SuspensionCause[];
}

/** Data of a lockout for the audit log. */
export interface LockoutTrace {
  /** Data about the user, besides the change itself. */
  readonly left: JsonObject;
  /** Audit entries about the credentials that were ended. */
  readonly ended: readonly AuditEntry[];
}

const NOTHING: LockoutTrace = { left: {}, ended: [] };

/** Handles the consequences of a lockout: sends the event, and ends the user's credentials permanently. */
@Injectable()
export class Lockouts {
  constructor(
    private readonly outbox: EventOutbox,
    private readonly credentials: PersonalCredentials,
    private readonly machines: MachineTokens,
  ) {}

  /**
   * Called in the transaction of every change of one user, after the user's row is written. If the user has a new cause
   * of suspension, ends all credentials of the user. If the user had access until now, sends `user_locked_out`. An
   * identity provider cannot request the revocation of machine tokens. Therefore, the audit data names the machine
   * tokens that remain valid.
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

/** The event of a user's lockout. Its reason is the given one, or else a word for the cause. */
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
