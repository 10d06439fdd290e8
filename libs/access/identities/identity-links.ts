import { LockMode } from '@mikro-orm/core';
import { Injectable } from '@nestjs/common';
import { Clock, newId, NotFoundError, UserDirectory } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import type { Actor } from '../principals/principal.js';
import { identityEntry } from './audited-identity.js';
import { IDENTITIES_TOPIC, type Account } from './known-identities.js';
import { UserIdentity } from './user-identity.entity.js';

/** No link of the organization has this id. */
class IdentityNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such identity.');
  }
}

/** A verified sign-in of an account that is not linked, or whose link has ended. */
export interface SignIn extends Account {
  /** The user whom the identity provider vouches for. */
  readonly userId: string;
  /** When the JWT was issued; undefined where it does not say. */
  readonly issuedAt: Date | undefined;
}

// An account has one link, and a user one link per issuer that has not ended.
const INSERT = `
insert into governance.identities (org_id, id, issuer, subject, user_id, linked_at)
values ($1, $2, $3, $4, $5, $6) on conflict do nothing returning id`;

/** Keeps which account at an identity provider is which user. */
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
   * Links an account to a user at its first sign-in. Links it again after the user has left and come back, if the JWT was
   * issued since. May repeat.
   * @returns whether the account is linked to the user now: false for a user who is not active or has another account at
   *   the issuer, and for an account that is another user's or was
   */
  async link(actor: Actor, signIn: SignIn): Promise<boolean> {
    const { orgId, issuer, subject, userId } = signIn;
    const now = this.clock.now();
    const isLinked = await this.database.transaction(orgId, async em => {
      // Locks the user's row: nobody is linked while leaving.
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
   * Removes a link: the account is a stranger's again, and its next verified sign-in links it anew. For a person whose
   * account at the identity provider was deleted and created again. @throws IdentityNotFoundError
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
