import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Clock, newId, NotFoundError, UserDirectory } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import type { Actor } from '../principals/principal.js';
import { identityEntry } from './audited-identity.js';
import { IDENTITIES_TOPIC, type Account } from './known-identities.js';
import { UserIdentity } from './user-identity.entity.js';

/** The organization has no link with this id. */
class IdentityNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such identity.');
  }
}

/** A verified sign-in of an account without an active link. */
export interface SignIn extends Account {
  /** The user whom the identity provider verified. */
  readonly userId: string;
  /** Issue time of the JWT; undefined if it has none. */
  readonly issuedAt: Date | undefined;
}

// An account has one link, and a user has at most one active link per issuer.
const INSERT = `
insert into governance.identities (org_id, id, issuer, subject, user_id, linked_at)
values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`;

/** Links accounts at identity providers to users. */
@Injectable()
export class IdentityLinks {
  constructor(
    private readonly database: OrgDatabase,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly users: UserDirectory,
    private readonly clock: Clock,
  ) {}

  /**
   * Links an account to a user at its first sign-in. If the user left and has returned, renews the link if the JWT was
   * issued after the return. Idempotent.
   * @returns whether the account is now linked to the user. False if the user is not active or has another account at
   * the issuer, or if the account is or was another user's
   */
  async link(actor: Actor, signIn: SignIn): Promise<boolean> {
    const { orgId, issuer, subject, userId } = signIn;
    const now = this.clock.now();
    const isLinked = await this.database.transaction(orgId, async em => {
      // Locks the user's row, so that a link cannot be created while another transaction ends the user's access.
      if ((await this.users.statusWithin(sqlOf(em), orgId, userId)) !== 'active') return false;
      const values = [orgId, newId(now), issuer, subject, userId, now.toISOString()];
      const isNew = (await sqlOf(em).query(INSERT, values)).length > 0;
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const found = await em.findOne(UserIdentity, { orgId, issuer, subject }, { lockMode });
      if (found?.userId !== userId) return false;
      if (!isNew && found.endedAt === null) return true;
      if (found.endedAt !== null) {
        if (signIn.issuedAt === undefined || signIn.issuedAt <= found.endedAt) return false;
        const others = await em.count(UserIdentity, { orgId, issuer, userId, endedAt: null });
        if (others > 0) return false;
        found.endedAt = null;
        found.linkedAt = now;
        await em.flush();
        await this.changes.mark(em, orgId, IDENTITIES_TOPIC);
      }
      await this.audit.append(em, actor, identityEntry('linked', found));
      return true;
    });
    if (isLinked) await this.changes.refresh(orgId);
    return isLinked;
  }

  /**
   * Removes a link. The next verified sign-in of the account creates a new link. Needed if a user's account at the
   * identity provider was deleted and created again.
   * @throws IdentityNotFoundError
   */
  async unlink(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      const found = await em.findOne(UserIdentity, { orgId, id }, { lockMode: LockMode.PESSIMISTIC_WRITE });
      if (!found) throw new IdentityNotFoundError();
      em.remove(found);
      await em.flush();
      await this.changes.mark(em, orgId, IDENTITIES_TOPIC);
      await this.audit.append(em, actor, identityEntry('unlinked', found));
    });
    await this.changes.refresh(orgId);
  }
}
