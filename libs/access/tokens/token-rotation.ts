import { isDeepStrictEqual } from 'node:util';
import { Injectable } from '@nestjs/common';
import { LockMode } from '@mikro-orm/postgresql';
import { BadRequestError, Clock, ConflictError, ForbiddenError } from '#core';
import { ChangeFeed, OrgDatabase } from '#database';
import { AuditLog } from '../audit/audit-log.port.js';
import { peopleBehind } from '../principals/people-behind.js';
import type { Actor } from '../principals/principal.js';
import { ROLES } from '../principals/scopes.js';
import { AccessToken } from './access-token.entity.js';
import { tokenRotated } from './token-audit.js';
import { boundsOf } from './token-bounds.js';
import { hashToken, newToken } from './token-format.js';
import { refuseExcess } from './token-grant.js';
import { lacksProvenUser, ownershipOf } from './token-maker.js';
import { limitsOf, makersOf, TokenNotFoundError, TokenService, type IssuedToken } from './token.service.js';
import { TOKENS_TOPIC } from './tokens.topic.js';

/** Maximum time for which the previous secret is accepted. */
export const OVERLAP_HOURS_MAX = 168;

const HOUR_MS = 3_600_000;

/** The operator has configured this secret, so the API cannot replace it. */
export class SuppliedTokenError extends ConflictError {
  constructor() {
    super('The operator configured this token: change it in the configuration, and restart.');
  }
}

/**
 * Replaces secrets of tokens. The token keeps its id, budgets, limits and history. The user who rotates a token sees
 * its new secret. From then on, the token also ends when that user loses access.
 */
@Injectable()
export class TokenRotation {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly changes: ChangeFeed,
    private readonly tokens: TokenService,
  ) {}

  /**
   * Gives a token a new secret. The previous secret is accepted for the given hours; older secrets become invalid at
   * once.
   * @param overlapHours 0 to 168
   * @throws TokenNotFoundError
   * @throws SuppliedTokenError
   * @throws ForbiddenError if the actor could not create such a token
   */
  async rotate(actor: Actor, id: string, overlapHours: number): Promise<IssuedToken> {
    if (!(overlapHours >= 0 && overlapHours <= OVERLAP_HOURS_MAX)) {
      throw BadRequestError.field('overlap_hours', `must be a number from 0 to ${OVERLAP_HOURS_MAX}`);
    }
    const { orgId } = actor;
    const secret = newToken();
    const record = await this.database.transaction(orgId, async em => {
      const now = this.clock.now();
      const { maker, above } = await makersOf(em, actor, now);
      const token = await em.findOne(
        AccessToken,
        { orgId, id, revokedAt: null },
        { lockMode: LockMode.PESSIMISTIC_WRITE, populate: ['tokenHash'] },
      );
      if (!token) throw new TokenNotFoundError();
      if (token.expiresAt === null) throw new SuppliedTokenError();
      const [ended] = await em.find(
        AccessToken,
        { orgId, id: { $in: token.endsWithTokens }, revokedAt: { $ne: null } },
        { limit: 1 },
      );
      if (ended || token.expiresAt <= now) throw new TokenNotFoundError();
      const role = ROLES.find(known => known === token.role) ?? token.role;
      const userId = token.userId ?? undefined;
      refuseExcess(actor, { name: token.name, role, scopes: token.grants(), ...(userId !== undefined && { userId }) });
      refuseLooser(actor, token);
      const ownership = ownershipOf(actor, { role, ...(userId !== undefined && { userId }) }, maker, above);
      await this.tokens.checkUser(em, orgId, userId);
      await this.tokens.checkMakers(em, actor, [...ownership.endsWithUsers, ...(maker?.endsWithUsers ?? [])]);
      const limits = (await limitsOf(em, actor, maker, now)).map(({ at }) => at.getTime());
      token.previousHash = token.tokenHash;
      token.previousUntil = new Date(now.getTime() + overlapHours * HOUR_MS);
      token.tokenHash = Buffer.from(hashToken(secret), 'base64');
      token.rotatedAt = now;
      token.expiresAt = new Date(Math.min(token.expiresAt.getTime(), ...limits));
      token.endsWithUsers = union(token.endsWithUsers, ownership.endsWithUsers);
      token.endsWithTokens = union(token.endsWithTokens, ownership.endsWithTokens).filter(other => other !== id);
      token.issuedBy = union(peopleBehind(actor), token.issuedBy);
      token.issuedByNobody = token.issuedByNobody || lacksProvenUser(actor);
      await em.flush();
      await this.changes.mark(em, orgId, TOKENS_TOPIC);
      await this.audit.append(em, actor, tokenRotated(token));
      return token;
    });
    await this.changes.refresh(orgId);
    return { record, token: secret };
  }
}

/** Checks that the actor could create a token with exactly these restrictions. */
function refuseLooser(actor: Actor, { name, role, models, project, tags }: AccessToken): void {
  const allowed = boundsOf(actor, { name, role, models, project, tags });
  if (isDeepStrictEqual(allowed, { models, project, tags })) return;
  throw new ForbiddenError(
    'Your token is restricted to models, a project or tags, and this token is not; use a token without these restrictions.',
  );
}

function union(one: readonly string[], other: readonly string[]): string[] {
  return [...new Set([...one, ...other])];
}
