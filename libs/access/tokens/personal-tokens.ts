import { LockMode } from '@mikro-orm/core';
import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ChangeFeed } from '#database';
import type { AuditEntry } from '../audit/audit-log.port.js';
import { PersonalCredentials, type CredentialStore, type Leaver } from '../credentials/personal-credentials.js';
import { MACHINE_ROLES } from '../principals/scopes.js';
import { AccessToken } from './access-token.entity.js';
import { tokenRevoked } from './token-audit.js';
import { TOKENS_TOPIC } from './tokens.topic.js';

/**
 * Revokes the tokens of users who leave, and the personal tokens that these users created for others. On request, also
 * revokes machine tokens that they created.
 */
@Injectable()
export class PersonalTokens implements CredentialStore, OnModuleInit {
  constructor(
    private readonly credentials: PersonalCredentials,
    private readonly changes: ChangeFeed,
  ) {}

  onModuleInit(): void {
    this.credentials.add(this);
  }

  async revokeAllOf(em: EntityManager, { orgId, userId, now, endsMachineTokens }: Leaver): Promise<AuditEntry[]> {
    const tokens = await em.find(
      AccessToken,
      {
        orgId,
        revokedAt: null,
        $or: [
          { userId },
          { endsWithUsers: { $contains: [userId] } },
          ...(endsMachineTokens ? [{ role: { $in: [...MACHINE_ROLES] }, issuedBy: { $contains: [userId] } }] : []),
        ],
      },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    if (tokens.length === 0) return [];
    for (const token of tokens) token.revokedAt = now;
    await em.flush();
    await this.changes.mark(em, orgId, TOKENS_TOPIC);
    return tokens.map(token => tokenRevoked(token));
  }
}
