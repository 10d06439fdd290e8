import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError } from '#core';
import type { Actor } from '../principals/principal.js';

/** Periods of token budgets; the same as for other budgets. */
export const ALLOWANCE_PERIODS = ['daily', 'weekly', 'monthly', 'quarterly', 'yearly'] as const;
/** What happens when a token's budget is spent. */
export const ALLOWANCE_ENFORCEMENTS = ['notify', 'block'] as const;

/** The budget of one token. */
export interface TokenBudget {
  /** US dollars. */
  readonly amount_usd: number;
  readonly period: (typeof ALLOWANCE_PERIODS)[number];
  /** Default: `block`. */
  readonly enforcement?: (typeof ALLOWANCE_ENFORCEMENTS)[number];
}

/** The limits of one token. A missing or null field means no limit. */
export interface TokenLimits {
  readonly requests_per_minute?: number | null;
  readonly tokens_per_minute?: number | null;
  readonly concurrent_requests?: number | null;
}

/** Budget and limits of a new token. */
export interface TokenAllowance {
  readonly budget?: TokenBudget | null | undefined;
  readonly limits?: TokenLimits | null | undefined;
}

/** Budget and limits of a token, with what it has spent. */
export interface ShownAllowance {
  readonly budget: (Required<TokenBudget> & { readonly id: string }) | null;
  readonly limits: (Required<TokenLimits> & { readonly id: string }) | null;
  /** US dollars spent in the current month, by the organization's time zone; null if no library counts usage. */
  readonly spentUsd: number | null;
}

/** Stores budgets and limits of tokens. A library implements it and calls {@link TokenAllowances.use}. */
export interface TokenAllowanceStore {
  /**
   * Creates the budget and the limits of a new token. Called in the transaction that creates the token, at most once
   * per token.
   * @throws BadRequestError naming the invalid field
   */
  grant(em: EntityManager, actor: Actor, token: { id: string; name: string }, allowance: TokenAllowance): Promise<void>;
  /**
   * Called after the transaction of {@link grant} has committed. When it resolves, decisions of this process must apply
   * the new budget and limits.
   */
  granted(orgId: string): Promise<void>;
  /** The budgets and limits of the given tokens. The result has an entry for each token. */
  of(orgId: string, tokenIds: readonly string[]): Promise<ReadonlyMap<string, ShownAllowance>>;
}

/**
 * Ends the budgets and limits of tokens that were revoked in the actor's organization. Includes tokens that ended
 * together with a revoked token.
 */
export type AllowanceEnd = (actor: Actor) => Promise<void>;

const NONE: ShownAllowance = { budget: null, limits: null, spentUsd: null };

/** Budgets and limits of tokens, if a library stores them. */
@Injectable()
export class TokenAllowances {
  private store: TokenAllowanceStore | undefined;
  private end: AllowanceEnd | undefined;

  /** Sets the store. Call it during module initialization. */
  use(store: TokenAllowanceStore): void {
    this.store = store;
  }

  /** Sets the function that is called after tokens were revoked. Call it during module initialization. */
  useEnd(end: AllowanceEnd): void {
    this.end = end;
  }

  /** @throws BadRequestError naming the invalid field, or if no library stores budgets */
  async grant(
    em: EntityManager,
    actor: Actor,
    token: { id: string; name: string },
    allowance: TokenAllowance,
  ): Promise<void> {
    if (!hasAny(allowance)) return;
    if (!this.store) {
      throw BadRequestError.field(
        allowance.budget ? 'budget' : 'limits',
        'needs the library usage in this installation',
      );
    }
    await this.store.grant(em, actor, token, allowance);
  }

  async granted(orgId: string, allowance: TokenAllowance): Promise<void> {
    if (hasAny(allowance)) await this.store?.granted(orgId);
  }

  /** Ends the budgets and limits of tokens that were revoked. */
  async ended(actor: Actor): Promise<void> {
    await this.end?.(actor);
  }

  /** Reads the budgets and limits of several tokens. The returned function gives those of one token. */
  async of(orgId: string, tokenIds: readonly string[]): Promise<(tokenId: string) => ShownAllowance> {
    const known = tokenIds.length === 0 ? undefined : await this.store?.of(orgId, tokenIds);
    return tokenId => known?.get(tokenId) ?? NONE;
  }
}

/** Whether an allowance has a budget or limits. */
export function hasAny({ budget, limits }: TokenAllowance): boolean {
  return (budget ?? null) !== null || (limits ?? null) !== null;
}
