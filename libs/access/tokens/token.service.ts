import { Injectable } from '@nestjs/common';
import { LockMode, type EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError, Clock, ForbiddenError, newId, NotFoundError, UserDirectory } from '#core';
import { ChangeFeed, OrgDatabase, sqlOf } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import { Organization } from '../organizations/organization.entity.js';
import { operatorActor } from '../principals/operator-actor.js';
import { peopleBehind } from '../principals/people-behind.js';
import type { Actor } from '../principals/principal.js';
import { AccessToken } from './access-token.entity.js';
import { boundsOf } from './token-bounds.js';
import { tokenCreated, tokenRevoked } from './token-audit.js';
import { hashToken, newToken } from './token-format.js';
import {
  daysFrom,
  expiryOf,
  limitOfMaker,
  limitOfSignIn,
  refuseExcess,
  type ExpiryLimit,
  type OperatorTokenRequest,
  type TokenRequest,
} from './token-grant.js';
import { lacksProvenUser, isSignIn, ownershipOf } from './token-maker.js';
import { ENDING_WITH, TOKENS_TO_REVOKE } from './token.sql.js';
import { TOKENS_TOPIC } from './tokens.topic.js';

/** No token of the organization has this id, or it was revoked. */
export class TokenNotFoundError extends NotFoundError {
  constructor() {
    super('There is no such access token.');
  }
}

/** A new token with its secret. The secret is not available later. */
export interface IssuedToken {
  record: AccessToken;
  /** The secret: show it once and never store it. */
  token: string;
}

/** Creates and revokes access tokens. */
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
   * Creates a token for the operator: from the command line or at boot, not through the API.
   * @throws BadRequestError if the lifetime or the user is invalid
   */
  async issue(orgId: string, requested: OperatorTokenRequest): Promise<IssuedToken> {
    return this.issueFor(operatorActor(orgId), {
      name: requested.name,
      role: requested.role,
      ...(requested.userId === null || requested.userId === undefined ? {} : { userId: requested.userId }),
      ...(requested.expiresInDays === undefined
        ? {}
        : { expiresAt: daysFrom(this.clock.now(), requested.expiresInDays) }),
    });
  }

  /**
   * Creates a token that has at most the actor's permissions.
   * @param within additional work in the same transaction
   * @throws BadRequestError if expiry, scope or user is invalid
   * @throws ForbiddenError if the actor lacks a permission
   */
  async issueFor(
    actor: Actor,
    request: TokenRequest,
    within?: (em: EntityManager, token: AccessToken) => Promise<void>,
  ): Promise<IssuedToken> {
    const now = this.clock.now();
    refuseExcess(actor, request);
    const bounds = boundsOf(actor, request);
    const token = newToken();
    const record = await this.database.transaction(actor.orgId, async em => {
      const { maker, above } = await makersOf(em, actor, now);
      const ownership = ownershipOf(actor, request, maker, above);
      await this.checkUser(em, actor.orgId, request.userId);
      // Locks the creators even if the token outlives them. If a creator's access is being ended, that transaction then
      // either finds this token or prevents its creation.
      await this.checkMakers(em, actor, [...ownership.endsWithUsers, ...(maker?.endsWithUsers ?? [])]);
      const made = em.create(AccessToken, {
        orgId: actor.orgId,
        id: newId(now),
        name: request.name,
        role: request.role,
        scopes: request.scopes === undefined ? null : [...new Set(request.scopes)],
        tokenHash: Buffer.from(hashToken(token), 'base64'),
        ...ownership,
        issuedBy: peopleBehind(actor),
        issuedByNobody: lacksProvenUser(actor),
        models: bounds.models === null ? null : [...bounds.models],
        project: bounds.project,
        tags: bounds.tags,
        rotatedAt: null,
        previousHash: null,
        previousUntil: null,
        createdAt: now,
        expiresAt: expiryOf(request.expiresAt, now, await limitsOf(em, actor, maker, now)),
        lastUsedAt: null,
        revokedAt: null,
      });
      await within?.(em, made);
      await this.audit.append(em, actor, tokenCreated(made));
      return made;
    });
    return { record, token };
  }

  /**
   * Revokes a token and the tokens that end with it. Within one second, all replicas refuse them. Rows are kept for the
   * audit log.
   * @throws TokenNotFoundError
   */
  async revoke(actor: Actor, id: string): Promise<void> {
    const { orgId } = actor;
    await this.database.transaction(orgId, async em => {
      const lockMode = LockMode.PESSIMISTIC_WRITE;
      const token = await em.findOne(AccessToken, { orgId, id, revokedAt: null }, { lockMode });
      if (!token) throw new TokenNotFoundError();
      const [ended] = await sqlOf(em).query<{ count: number }>(ENDING_WITH, [orgId, id]);
      token.revokedAt = this.clock.now();
      await em.flush();
      await this.changes.mark(em, orgId, TOKENS_TOPIC);
      // The head of the audit log is locked last, to avoid deadlocks.
      await this.audit.append(em, actor, tokenRevoked(token, ended?.count ?? 0));
    });
    await this.changes.refresh(orgId);
  }

  /**
   * Revokes every token that a user or subject created, also indirectly. No error is thrown if there is none.
   * @returns the number of revoked tokens
   */
  async revokeMadeBy(actor: Actor, issuedBy: string): Promise<number> {
    const { orgId } = actor;
    const revoked = await this.database.transaction(orgId, async em => {
      const rows = await sqlOf(em).query<{ id: string }>(TOKENS_TO_REVOKE, [orgId, issuedBy.toLowerCase()]);
      if (rows.length === 0) return 0;
      const ids = rows.map(({ id }) => id);
      const tokens = await em.find(AccessToken, { orgId, id: { $in: ids } }, { orderBy: { id: 'asc' } });
      const now = this.clock.now();
      for (const token of tokens) token.revokedAt = now;
      await em.flush();
      await this.changes.mark(em, orgId, TOKENS_TOPIC);
      for (const token of tokens) await this.audit.append(em, actor, tokenRevoked(token));
      return tokens.length;
    });
    await this.changes.refresh(orgId);
    return revoked;
  }

  /** @throws BadRequestError if the user is not in the organization, or has no access */
  async checkUser(em: EntityManager, orgId: string, userId: string | undefined): Promise<void> {
    if (userId === undefined) return;
    const status = await this.users.statusWithin(sqlOf(em), orgId, userId);
    if (status === undefined) throw BadRequestError.field('user_id', 'is not a user of this organization');
    // A suspended user gets no new credentials, because users must not have any when they are reactivated.
    if (status === 'suspended') throw BadRequestError.field('user_id', 'is suspended; reinstate the user first');
  }

  /**
   * Locks the rows of the token's creators. Otherwise a concurrent transaction that revokes a creator's access would
   * not find this token.
   */
  async checkMakers(em: EntityManager, { orgId, userId }: Actor, others: readonly string[]): Promise<void> {
    const makers = new Set([...(userId === undefined ? [] : [userId]), ...others]);
    for (const maker of [...makers].toSorted()) {
      const status = await this.users.statusWithin(sqlOf(em), orgId, maker);
      if (status !== 'active')
        throw new ForbiddenError('A person who created your credential has lost access; use another credential.');
    }
  }
}

/**
 * The stored token of the actor, and the tokens whose end also ends it. Empty if the actor has no token.
 * @throws ForbiddenError if one of these tokens has ended since the request was accepted
 */
export async function makersOf(
  em: EntityManager,
  actor: Actor,
  now: Date,
): Promise<{ maker: AccessToken | null; above: AccessToken[] }> {
  if (actor.kind !== 'token') return { maker: null, above: [] };
  const { orgId, id } = actor;
  const maker = await em.findOne(AccessToken, { orgId, id });
  const above = maker ? await em.find(AccessToken, { orgId, id: { $in: maker.endsWithTokens } }) : [];
  const hasEnded = maker?.expiresAt && maker.expiresAt <= now;
  if (!maker || hasEnded || [maker, ...above].some(({ revokedAt }) => revokedAt !== null)) {
    throw new ForbiddenError('Your access token has ended; use another one.');
  }
  return { maker, above };
}

/** The limits on the expiry of a token that the actor creates. */
export async function limitsOf(
  em: EntityManager,
  actor: Actor,
  maker: AccessToken | null,
  now: Date,
): Promise<ExpiryLimit[]> {
  if (isSignIn(actor)) {
    const { signInTokenMaxDays } = await em.findOneOrFail(Organization, { id: actor.orgId });
    return [limitOfSignIn(now, signInTokenMaxDays)];
  }
  return maker?.expiresAt ? [limitOfMaker(maker.expiresAt)] : [];
}
