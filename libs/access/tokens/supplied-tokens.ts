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

/** What became of a secret that the operator supplied. */
export interface SuppliedToken {
  /** `created` now, `current` already, or `revoked` before: then it is not accepted, and nothing was changed. */
  state: 'created' | 'current' | 'revoked';
  /** How many tokens ended because this one replaced the one that had made them. */
  ended: number;
}

const INSERT = `
insert into governance.access_tokens (org_id, id, name, role, token_hash, created_at)
values ($1, $2, $3, $4, $5, $6) on conflict (org_id, token_hash) do nothing returning id`;

/** Tokens whose secret the operator chose and keeps in the environment. */
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
   * Accepts a secret that the operator chose. It does not expire, so that a date never locks the operator out. It
   * replaces the secret that was supplied under the same name before: that one is revoked, and every token that it made
   * ends. A revoked secret is never accepted again, so that a replica with an old setting cannot bring it back.
   * Idempotent, also when replicas boot together.
   * @throws BadRequestError where the secret is unfit, ConflictError where another organization has it.
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
    // A replica may have cached the token as unknown, because it was used before it existed.
    await this.changes.watch(orgId);
    // One after the other: of replicas that bring different secrets, the last one's alone remains.
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

  /** Revokes what was supplied under the name before. Only supplied tokens have no expiry. */
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
