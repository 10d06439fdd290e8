import { LockMode } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ChangeFeed } from '#database';
import type { AuditEntry } from '../audit/audit-log.port.js';
import { PersonalCredentials, type CredentialStore, type Leaver } from '../credentials/personal-credentials.js';
import { identityEntry } from './audited-identity.js';
import { IDENTITIES_TOPIC } from './known-identities.js';
import { UserIdentity } from './user-identity.entity.js';

/**
 * Ends the links of users who leave. The rows stay, so that the account of a former user is still recognized after its
 * e-mail address has changed.
 */
@Injectable()
export class PersonalIdentities implements CredentialStore, OnModuleInit {
  constructor(
    private readonly credentials: PersonalCredentials,
    private readonly changes: ChangeFeed,
  ) {}

  onModuleInit(): void {
    this.credentials.add(this);
  }

  async revokeAllOf(em: EntityManager, { orgId, userId, now }: Leaver): Promise<AuditEntry[]> {
    const identities = await em.find(
      UserIdentity,
      { orgId, userId, endedAt: null },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (identities.length === 0) return [];
    for (const identity of identities) identity.endedAt = now;
    await em.flush();
    await this.changes.mark(em, orgId, IDENTITIES_TOPIC);
    return identities.map(identity => identityEntry('ended', identity));
  }
}
