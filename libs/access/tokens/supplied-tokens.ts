import { Injectable } from '@nestjs/common';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError, Clock, ConflictError, newId } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import { operatorActor } from '../principals/operator-actor.js';
import type { Role } from '../principals/scopes.js';
import { AccessToken } from './access-token.entity.js';
import { SuppliedTokenLookup } from './supplied-token-lookup.js';
import { tokenCreated, tokenRevoked } from './token-audit.js';
import { hashToken } from './token-format.js';
import { defectOfSecret } from './token-secret.js';
import { ENDING_WITH } from './token.sql.js';
import { TOKENS_TOPIC } from './tokens.topic.js';

/** Result of supplying a secret. */
export interface SuppliedToken {
  /**
   * State of the secret: `created` now, `current` already, or `revoked` earlier. A revoked secret is refused, and
   * nothing changes.
   */
  state: 'created' | 'current' | 'revoked';
  /** Number of tokens that ended because the token that had created them was replaced. */
  ended: number;
}

const INSERT = `
insert into governance.access_tokens (org_id, id, name, role, token_hash, created_at)
values ($1, $2, $3, $4, $5, $6) on conflict (org_id, token_hash) do nothing returning id`;

/** Operator tokens, whose secrets are configured in the environment. */
@Injectable()
export class SuppliedTokens extends SuppliedTokenLookup {
  constructor(
    database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
  ) {
    super(database);
  }

  /**
   * Stores a secret of the operator as a token. The token does not expire, so that the operator is never locked out. It
   * replaces the token with the former secret of the same name. The former token is revoked, together with every token
   * that it created. A revoked secret is never accepted again, so that a replica with an old setting cannot restore it.
   * Idempotent, also when replicas boot at the same time.
   * @throws BadRequestError if the secret is unsuitable
   * @throws ConflictError if another organization has the secret
   */
  async ensure(orgId: string, secret: string, options: { name: string; role: Role }): Promise<SuppliedToken> {
    const defect = defectOfSecret(secret);
    if (defect !== undefined) throw BadRequestError.field('secret', defect);
    const hash = Buffer.from(hashToken(secret), 'base64');
    const found = await this.find(secret);
    if (found) {
      if (found.orgId !== orgId.toLowerCase()) {
        throw new ConflictError('The secret is in use already; choose another.');
      }
      return { state: found.revoked ? 'revoked' : 'current', ended: 0 };
    }
    // If a client used the secret before the token existed, a replica may have cached the token as unknown.
    await this.changes.watch(orgId);
    // Runs one call at a time. If replicas boot with different secrets, only the last secret stays valid.
    const result = await this.database.exclusively(`supplied token ${orgId}`, () => this.replace(orgId, hash, options));
    await this.changes.refresh(orgId);
    return result;
  }

  private async replace(orgId: string, hash: Buffer, { name, role }: { name: string; role: Role }) {
    const now = this.clock.now();
    return this.database.transaction(orgId, async (em): Promise<SuppliedToken> => {
      const [row] = await sqlOf(em).query<{ id: string }>(INSERT, [orgId, newId(now), name, role, hash, now]);
      if (!row) return { state: 'current', ended: 0 };
      const entries = await this.revokeFormer(em, orgId, { id: row.id, name });
      await this.changes.mark(em, orgId, TOKENS_TOPIC);
      const made = await em.findOneOrFail(AccessToken, { orgId, id: row.id });
      for (const { token, ended } of entries) {
        await this.audit.append(em, operatorActor(orgId), tokenRevoked(token, ended));
      }
      await this.audit.append(em, operatorActor(orgId), tokenCreated(made));
      return { state: 'created', ended: entries.reduce((sum, { ended }) => sum + ended, 0) };
    });
  }

  /**
   * Revokes the token with the former secret of the same name. Operator tokens are recognized by their missing expiry.
   */
  private async revokeFormer(
    em: EntityManager,
    orgId: string,
    { id, name }: { id: string; name: string },
  ): Promise<{ token: AccessToken; ended: number }[]> {
    const former = await em.find(
      AccessToken,
      { orgId, name, expiresAt: null, revokedAt: null, id: { $ne: id } },
      { orderBy: { id: 'asc' }, lockMode: LockMode.PESSIMISTIC_WRITE },
    );
    const revoked: { token: AccessToken; ended: number }[] = [];
    for (const token of former) {
      const [row] = await sqlOf(em).query<{ count: number }>(ENDING_WITH, [orgId, token.id]);
      token.revokedAt = this.clock.now();
      revoked.push({ token, ended: row?.count ?? 0 });
    }
    await em.flush();
    return revoked;
  }
}
