import { Injectable, type OnModuleInit } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import {
  TokenAllowances,
  type Actor,
  type ShownAllowance,
  type TokenAllowance,
  type TokenAllowanceStore,
} from '#access';
import { BadRequestError, Clock } from '#core';
import { LONG_READ_MS, OrgDatabase, plainArray, SCHEMA, sqlOf } from '#database';
import { BudgetService } from '../budgets/budget.service.js';
import { calendarOf } from '../budgets/budget-windows.service.js';
import { spentByToken } from '../budgets/window-usage.js';
import { LimitService } from '../limits/limit.service.js';
import { windowIn } from '../windows/index.js';

const JSON_OF = (fields: readonly string[]): string =>
  `jsonb_build_object(${fields.map(field => `'${field.slice(field.indexOf('.') + 1)}', ${field}`).join(', ')})`;

// Selects the oldest limit whose scope is only the token. This limit was created together with the token.
const FOUND = (table: string, fields: readonly string[]): string => `(select ${JSON_OF(fields)}::text
  from ${SCHEMA}.${table} x where x.org_id = $1 and x.match = jsonb_build_object('token', t.id::text)
  order by x.created_at, x.id limit 1)`;

const BUDGET = ['x.id', 'x.amount_usd', 'x.period', 'x.enforcement'];
const LIMITS = ['x.id', 'x.requests_per_minute', 'x.tokens_per_minute', 'x.concurrent_requests'];

const ALLOWANCES = `
select t.id::text, ${FOUND('budgets', BUDGET)} as budget, ${FOUND('limits', LIMITS)} as limits
from unnest($2::uuid[]) as t (id)`;

interface Row {
  id: string;
  budget: string | null;
  limits: string | null;
}

/** Budgets and limits of access tokens: those with the scope `{ "token": "<id>" }`. */
@Injectable()
export class StoredTokenAllowances implements TokenAllowanceStore, OnModuleInit {
  constructor(
    private readonly allowances: TokenAllowances,
    private readonly budgets: BudgetService,
    private readonly limits: LimitService,
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  onModuleInit(): void {
    this.allowances.use(this);
  }

  async grant(
    em: EntityManager,
    actor: Actor,
    { id, name }: { id: string; name: string },
    { budget, limits }: TokenAllowance,
  ): Promise<void> {
    const scope = { name, scope: 'combined', match: { token: id } } as const;
    if (budget) {
      const { amount_usd: amountUsd, period, enforcement = 'block' } = budget;
      await within('budget', () => this.budgets.createWithin(em, actor, { ...scope, amountUsd, period, enforcement }));
    }
    if (limits) {
      const { requests_per_minute: requests, tokens_per_minute: tokens, concurrent_requests: concurrent } = limits;
      const numbers = { requestsPerMinute: requests ?? null, tokensPerMinute: tokens ?? null };
      const draft = { ...scope, ...numbers, concurrentRequests: concurrent ?? null };
      await within('limits', () => this.limits.createWithin(em, actor, draft));
    }
  }

  async granted(orgId: string): Promise<void> {
    await this.budgets.refresh(orgId);
  }

  async of(orgId: string, tokenIds: readonly string[]): Promise<ReadonlyMap<string, ShownAllowance>> {
    return this.database.snapshot(
      orgId,
      async em => {
        const tx = sqlOf(em);
        const window = windowIn(await calendarOf(tx, orgId), 'monthly', this.clock.now());
        const spent = await spentByToken(tx, orgId, window, tokenIds);
        const rows = await tx.query<Row>(ALLOWANCES, [orgId, plainArray(tokenIds, id => id)]);
        return new Map(rows.map(row => [row.id, shown(row, spent.get(row.id) ?? 0)]));
      },
      { timeoutMs: LONG_READ_MS },
    );
  }
}

function shown({ budget, limits }: Row, spentUsd: number): ShownAllowance {
  return {
    // The SQL statement in this file has built these texts.
    budget: budget === null ? null : (JSON.parse(budget) as ShownAllowance['budget']),
    limits: limits === null ? null : (JSON.parse(limits) as ShownAllowance['limits']),
    spentUsd,
  };
}

/** Prefixes the fields of an error with `budget` or `limits`, the names that the request for the token uses. */
async function within(field: 'budget' | 'limits', work: () => Promise<unknown>): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof BadRequestError)) throw error;
    const { details } = error;
    throw details
      ? BadRequestError.fields(details.map(each => ({ field: `${field}.${each.field}`, message: each.message })))
      : error;
  }
}
