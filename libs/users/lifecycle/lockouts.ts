import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { PersonalCredentials, type AuditEntry } from '#access';
import type { UserStatus } from '#core';
import { EventOutbox } from '#outbox';
import type { SuspensionCause, User } from '../user.entity.js';
import { lockedOut } from './locked-out.js';

/** What of a user a change may turn into a lockout. */
export interface Access {
  readonly status: UserStatus;
  readonly suspensionCauses: readonly SuspensionCause[];
}

/** Does what comes with a lockout: people are told, and credentials end for good. */
@Injectable()
export class Lockouts {
  constructor(
    private readonly outbox: EventOutbox,
    private readonly credentials: PersonalCredentials,
  ) {}

  /**
   * Called in the transaction of every change of one user, behind the user's row. A user who is suspended for a cause
   * that did not hold before loses all credentials; one who had access until now fires `user_locked_out`.
   * @returns what the audit log is to keep beside the change
   */
  async follow(em: EntityManager, user: User, before: Access, now: Date): Promise<AuditEntry[]> {
    const hasNewCause = user.suspensionCauses.some(cause => !before.suspensionCauses.includes(cause));
    if (!hasNewCause) return [];
    const { orgId, id: userId } = user;
    if (before.status === 'active') await this.outbox.fire(em, orgId, [lockedOut(user)]);
    return this.credentials.revokeAllOf(em, { orgId, userId, now, endsMachineTokens: user.endsMachineTokens });
  }
}
