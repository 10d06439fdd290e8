import { Injectable } from '@nestjs/common';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError, Clock, ConflictError, newId, NotFoundError, UserDirectory } from '#core';
import { ChangeFeed, countRows, OrgDatabase, sqlOf } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import { operatorActor } from '../principals/operator-actor.js';
import { peopleBehind } from '../principals/people-behind.js';
import type { Actor } from '../principals/principal.js';
import type { Role } from '../principals/scopes.js';
import { AccessToken } from './access-token.entity.js';
import { auditedToken } from './audited-token.js';
import { hashToken, newToken } from './token-format.js';
import { daysFrom, expiryOf, refuseExcess, type OperatorTokenRequest, type TokenRequest } from './token-grant.js';
import { defectOfSecret } from './token-secret.js';

/** No token of the organization has this id, or it was revoked. */
export class TokenNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such access token.');
  }
}

/** A token at its birth, the only moment at which it is known. */
export interface IssuedToken {
  record: AccessToken;
  /** The token itself: to be shown once and never stored. */
  token: string;
}

/** Topic of the change feed that is marked when a token is revoked. */
export const TOKENS_TOPIC = 'tokens';

const OWNER_OF = 'select org_id from governance.access_token_of($1)';

const INSERT_SUPPLIED = `
insert into governance.access_tokens (org_id, id, name, role, token_hash, created_at)
values ($1, $2, $3, $4, $5, $6) on conflict (org_id, token_hash) do nothing returning id`;

/** Access tokens: made, listed, revoked. */
@Injectable()
export class TokenService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly users: UserDirectory,
  ) {}

  /**
   * Makes a token on behalf of the operator: from the command line or at boot, not through the API.
   * @throws BadRequestError for a bad lifetime or user.
   */
  async issue(orgId: string, wish: OperatorTokenRequest): Promise<IssuedToken> {
    return this.issueFor(operatorActor(orgId), {
      name: wish.name,
      role: wish.role,
      ...(wish.userId === null || wish.userId === undefined ? {} : { userId: wish.userId }),
      ...(wish.expiresInDays === undefined ? {} : { expiresAt: daysFrom(this.clock.now(), wish.expiresInDays) }),
    });
  }

  /**
   * Makes a token that can do no more than the actor itself.
   * @throws BadRequestError for a bad expiry, scope or user, ForbiddenError for more than the actor holds.
   */
  async issueFor(actor: Actor, request: TokenRequest): Promise<IssuedToken> {
    const now = this.clock.now();
    refuseExcess(actor, request);
    const expiresAt = expiryOf(request.expiresAt, now);
    const token = newToken();
    const record = await this.database.transaction(actor.orgId, async em => {
      await this.checkUser(em, actor.orgId, request.userId);
      const made = em.create(AccessToken, {
        orgId: actor.orgId,
        id: newId(now),
        name: request.name,
        role: request.role,
        scopes: request.scopes === undefined ? null : [...new Set(request.scopes)],
        tokenHash: Buffer.from(hashToken(token), 'base64'),
        userId: request.userId ?? null,
        issuedBy: peopleBehind(actor),
        createdAt: now,
        expiresAt,
        lastUsedAt: null,
        revokedAt: null,
      });
      await this.note(em, actor, 'token.created', made);
      return made;
    });
    return { record, token };
  }

  /**
   * Accepts a secret that the operator chose, for the first way in. It does not expire: the operator, who keeps it in
   * the environment, must not be locked out by a date; revoking it is final, a boot does not bring it back.
   * Idempotent, also when replicas boot together. Returns whether the token was made now.
   * @throws BadRequestError where the secret is unfit, ConflictError where another organization has it.
   */
  async ensureSecret(orgId: string, secret: string, options: { name: string; role: Role }): Promise<boolean> {
    const defect = defectOfSecret(secret);
    if (defect !== undefined) throw BadRequestError.field('secret', defect);
    const hash = Buffer.from(hashToken(secret), 'base64');
    const [owner] = await this.database.global<{ org_id: string }>(OWNER_OF, [hash]);
    if (owner) {
      if (owner.org_id === orgId.toLowerCase()) return false;
      throw new ConflictError('The secret is in use already; choose another.');
    }
    const now = this.clock.now();
    return this.database.transaction(orgId, async em => {
      const values = [orgId, newId(now), options.name, options.role, hash, now];
      const [row] = await sqlOf(em).query<{ id: string }>(INSERT_SUPPLIED, values);
      if (!row) return false;
      const made = await em.findOneOrFail(AccessToken, { orgId, id: row.id });
      await this.note(em, operatorActor(orgId), 'token.created', made);
      return true;
    });
  }

  /** Tokens that are not revoked, newest first, at most `limit` of those made before the token `after`. */
  async list(orgId: string, page: { after?: string; limit: number }): Promise<AccessToken[]> {
    return this.database.transaction(orgId, em =>
      em.find(
        AccessToken,
        { orgId, revokedAt: null, ...(page.after === undefined ? {} : { id: { $lt: page.after } }) },
        // Ids grow with time.
        { orderBy: { id: 'desc' }, limit: page.limit },
      ),
    );
  }

  /** How many tokens are not revoked. */
  async count(orgId: string): Promise<number> {
    const sql = 'select 1 from governance.access_tokens where org_id = $1 and revoked_at is null';
    return this.database.transaction(orgId, em => countRows(sqlOf(em), sql, [orgId]));
  }

  /**
   * Ends a token; within one second no replica accepts it. The record stays, so that the audit log can be read.
   * @throws TokenNotFoundError
   */
  async revoke(actor: Actor, id: string): Promise<void> {
    await this.database.transaction(actor.orgId, async em => {
      const token = await em.findOne(
        AccessToken,
        { orgId: actor.orgId, id, revokedAt: null },
        { lockMode: LockMode.PESSIMISTIC_WRITE },
      );
      if (!token) throw new TokenNotFoundError();
      token.revokedAt = this.clock.now();
      await em.flush();
      // The head of the audit log is locked last, so that no two transactions wait for each other.
      await this.changes.mark(em, actor.orgId, TOKENS_TOPIC);
      await this.note(em, actor, 'token.revoked', token);
    });
    await this.changes.refresh(actor.orgId);
  }

  private async checkUser(em: EntityManager, orgId: string, userId: string | undefined): Promise<void> {
    if (userId === undefined) return;
    const status = await this.users.statusWithin(sqlOf(em), orgId, userId);
    if (status === undefined) throw BadRequestError.field('user_id', 'is not a user of this organization');
    // Whoever comes back starts without credentials.
    if (status === 'suspended') throw BadRequestError.field('user_id', 'is suspended; reinstate the user first');
  }

  private async note(em: EntityManager, actor: Actor, action: string, token: AccessToken): Promise<void> {
    const view = auditedToken(token);
    const revoked = action === 'token.revoked';
    await this.audit.append(em, actor, {
      action,
      resourceType: 'token',
      resourceId: token.id,
      before: revoked ? view : null,
      after: revoked ? null : view,
    });
  }
}
