import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { BadRequestError } from '#core';
import type { Actor } from '../principals/principal.js';

/** Periods of a token's budget, those of all budgets. */
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

/** The limits of one token; null or missing for none. */
export interface TokenLimits {
  readonly requests_per_minute?: number | null;
  readonly tokens_per_minute?: number | null;
  readonly concurrent_requests?: number | null;
}

/** What a new token may spend, and how often it may be used. */
export interface TokenAllowance {
  readonly budget?: TokenBudget | null | undefined;
  readonly limits?: TokenLimits | null | undefined;
}

/** What a token may spend, how often it may be used, and what it has spent. */
export interface ShownAllowance {
  readonly budget: (Required<TokenBudget> & { readonly id: string }) | null;
  readonly limits: (Required<TokenLimits> & { readonly id: string }) | null;
  /** US dollars in the current month of the organization's time zone; null if no library counts usage. */
  readonly spentUsd: number | null;
}

/** Keeps budgets and limits of tokens. The library that has them implements it and calls {@link TokenAllowances.use}. */
export interface TokenAllowanceStore {
  /**
   * Creates the budget and the limits of a new token. Called in the transaction that creates the token, at most once per
   * token.
   * @throws BadRequestError naming the field at fault
   */
  grant(em: EntityManager, actor: Actor, token: { id: string; name: string }, allowance: TokenAllowance): Promise<void>;
  /** Called after the transaction of {@link grant}: decisions of this process apply it from then on. */
  granted(orgId: string): Promise<void>;
  /** The allowances of tokens; all of them are in the answer. */
  of(orgId: string, tokenIds: readonly string[]): Promise<ReadonlyMap<string, ShownAllowance>>;
}

const NONE: ShownAllowance = { budget: null, limits: null, spentUsd: null };

/** Budgets and limits of tokens, as far as a library keeps them. */
@Injectable()
export class TokenAllowances {
  private store: TokenAllowanceStore | undefined;

  /** Sets the store; to be called while the module is initialized. */
  use(store: TokenAllowanceStore): void {
    this.store = store;
  }

  /** @throws BadRequestError naming the field at fault, also if no library keeps budgets */
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

  /** Returns the function that gives the allowance of each of the tokens. */
  async of(orgId: string, tokenIds: readonly string[]): Promise<(tokenId: string) => ShownAllowance> {
    const known = tokenIds.length === 0 ? undefined : await this.store?.of(orgId, tokenIds);
    return tokenId => known?.get(tokenId) ?? NONE;
  }
}

/** Whether an allowance has a budget or limits. */
export function hasAny({ budget, limits }: TokenAllowance): boolean {
  return (budget ?? null) !== null || (limits ?? null) !== null;
}
