import { Injectable } from '@nestjs/common';
import { ForbiddenError, type Page } from '#core';
import type { Actor } from '../principals/principal.js';
import type { AccessToken } from './access-token.entity.js';
import { hasAny, TokenAllowances, type ShownAllowance, type TokenAllowance } from './token-allowances.js';
import type { TokenRequest } from './token-grant.js';
import { TokenService } from './token.service.js';

/** A token with its budget and limits. */
export interface TokenKey {
  readonly token: AccessToken;
  readonly allowance: ShownAllowance;
}

/** Creates, shows and revokes tokens with their budgets and limits. */
@Injectable()
export class TokenKeys {
  constructor(
    private readonly tokens: TokenService,
    private readonly allowances: TokenAllowances,
  ) {}

  /**
   * Creates a token with its budget and limits in one transaction.
   * @throws BadRequestError naming the invalid field
   * @throws ForbiddenError if the token would have more permissions than the actor
   */
  async issue(
    actor: Actor,
    request: TokenRequest,
    allowance: TokenAllowance,
  ): Promise<TokenKey & { readonly secret: string }> {
    if (hasAny(allowance) && !actor.scopes.has('budgets:write')) {
      throw new ForbiddenError('A token with a budget or limits needs the scope budgets:write.');
    }
    const issued = await this.tokens.issueFor(actor, request, (em, token) =>
      this.allowances.grant(em, actor, token, allowance),
    );
    await this.allowances.granted(actor.orgId, allowance);
    return { secret: issued.token, ...(await this.shown(actor.orgId, issued.record)) };
  }

  /**
   * Revokes a token, and ends its budgets and limits.
   * @throws TokenNotFoundError
   */
  async revoke(actor: Actor, id: string): Promise<void> {
    await this.tokens.revoke(actor, id);
    await this.allowances.ended(actor);
  }

  /**
   * Revokes every token that a user or subject created, and ends their budgets and limits.
   * @returns the number of revoked tokens
   */
  async revokeMadeBy(actor: Actor, issuedBy: string): Promise<number> {
    const revoked = await this.tokens.revokeMadeBy(actor, issuedBy);
    if (revoked > 0) await this.allowances.ended(actor);
    return revoked;
  }

  /** A token with its budget and limits. */
  async shown(orgId: string, token: AccessToken): Promise<TokenKey> {
    const allowanceOf = await this.allowances.of(orgId, [token.id]);
    return { token, allowance: allowanceOf(token.id) };
  }

  /** A page of tokens with their budgets and limits. */
  async page(orgId: string, { items, ...page }: Page<AccessToken>): Promise<Page<TokenKey>> {
    const allowanceOf = await this.allowances.of(
      orgId,
      items.map(({ id }) => id),
    );
    return { ...page, items: items.map(token => ({ token, allowance: allowanceOf(token.id) })) };
  }
}
