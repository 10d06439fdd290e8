import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { ORGANIZATION_TOPIC } from '#access';
import type { SqlTransaction } from '#core';
import { ChangeFeed, OrgDatabase, SCHEMA, sqlOf } from '#database';
import type { BudgetScope } from '#outbox';
import type { ScopeMatch, ScopeSplit } from '../scopes/index.js';
import { type BudgetPeriod, type OrgCalendar, WindowCalendar } from '../windows/index.js';
import { type BudgetEnforcement, BudgetIndex, type KnownBudget } from './budget-scope.js';

/** Topic of the change feed for budgets. */
export const BUDGETS_TOPIC = 'budgets';

/** The budgets of one organization at one version. Immutable. */
export class BudgetSet {
  /** Budgets that can refuse requests. */
  readonly blocking: BudgetIndex;
  /** All budgets. */
  readonly counted: BudgetIndex;

  constructor(
    /**
     * Sum of the change counters `budgets` and `organization`. If the sum differs, budgets or calendar have changed.
     */
    readonly version: number,
    readonly calendar: WindowCalendar,
    readonly budgets: readonly KnownBudget[],
  ) {
    this.counted = new BudgetIndex(budgets);
    this.blocking = new BudgetIndex(budgets.filter(({ enforcement }) => enforcement === 'block'));
  }
}

interface BudgetRow {
  id: string;
  name: string;
  scope: BudgetScope;
  department: string | null;
  user_id: string | null;
  model: string | null;
  match: ScopeMatch | null;
  split_by: ScopeSplit | null;
  amount_usd: string;
  period: BudgetPeriod;
  enforcement: BudgetEnforcement;
  counts_from: string;
}

const VERSION = `
select coalesce(sum(m.version), 0)::text as version, 
  (select o.time_zone from ${SCHEMA}.organizations o where o.id = $1),
  (select o.fiscal_year_first_month from ${SCHEMA}.organizations o where o.id = $1) as first_month
from ${SCHEMA}.change_marks m where m.org_id = $1 and m.topic in ('${BUDGETS_TOPIC}', '${ORGANIZATION_TOPIC}')`;

const BUDGETS = `
select id, name, scope, department, user_id, model, match, split_by, amount_usd::text, period, enforcement,
  (extract(epoch from counts_from) * 1000)::text as counts_from
from ${SCHEMA}.budgets where org_id = $1 order by id`;

/**
 * In-memory cache of the budgets per organization. It loads budgets at the first request, and again after every change
 * of budgets or of the organization's calendar on any replica. All replicas see a change within a second.
 */
@Injectable()
export class OrganizationBudgets {
  private readonly sets = new Map<string, BudgetSet>();
  private readonly loading = new Map<string, Promise<BudgetSet>>();

  constructor(
    private readonly database: OrgDatabase,
    private readonly changes: ChangeFeed,
  ) {
    changes.subscribe(BUDGETS_TOPIC, orgId => this.reload(orgId));
    changes.subscribe(ORGANIZATION_TOPIC, orgId => this.reload(orgId));
    // If an organization is deleted and created again, its version numbers begin again. A cached version could then
    // match by chance.
    changes.onReset(orgId => this.sets.delete(orgId));
  }

  /** The cached budgets, or undefined if the organization was never loaded. */
  peek(orgId: string): BudgetSet | undefined {
    return this.sets.get(orgId);
  }

  /** Rejects if the budgets are not in memory and the database cannot be reached. */
  async of(orgId: string): Promise<BudgetSet> {
    return this.sets.get(orgId) ?? this.loading.get(orgId) ?? this.start(orgId);
  }

  /** Reloads the budgets. Called if the database has a newer version than the cache. */
  async refreshed(orgId: string): Promise<BudgetSet> {
    await this.changes.watch(orgId);
    return this.read(orgId);
  }

  /**
   * The budgets as a running transaction sees them. Reads them from the database only if the cached version differs.
   * While a transaction holds the organization's usage lock, no other transaction can create a budget.
   */
  async within(tx: SqlTransaction, orgId: string): Promise<BudgetSet> {
    const known = this.sets.get(orgId);
    const { version, calendar } = await versionIn(tx, orgId);
    return known?.version === version ? known : readSet(tx, orgId, version, calendar);
  }

  private start(orgId: string): Promise<BudgetSet> {
    const loading = this.refreshed(orgId).finally(() => this.loading.delete(orgId));
    this.loading.set(orgId, loading);
    return loading;
  }

  private async read(orgId: string): Promise<BudgetSet> {
    const read = async (em: EntityManager): Promise<BudgetSet> => {
      const { version, calendar } = await versionIn(sqlOf(em), orgId);
      return readSet(sqlOf(em), orgId, version, calendar);
    };
    const set = await this.database.snapshot(orgId, read);
    const known = this.sets.get(orgId);
    // A read that started earlier must not overwrite the result of a later one.
    if (known && known.version > set.version) return known;
    this.sets.set(orgId, set);
    return set;
  }

  /** The change feed makes the calls for one topic sequentially, and repeats a call until it succeeds. */
  private async reload(orgId: string): Promise<void> {
    await this.loading.get(orgId)?.catch(() => undefined);
    if (this.sets.has(orgId)) await this.read(orgId);
  }
}

interface VersionRow {
  version: string;
  time_zone: string | null;
  first_month: number | null;
}

async function versionIn(tx: SqlTransaction, orgId: string): Promise<{ version: number; calendar: OrgCalendar }> {
  const [row] = await tx.query<VersionRow>(VERSION, [orgId]);
  const calendar = { timeZone: row?.time_zone ?? 'UTC', firstMonth: row?.first_month ?? 1 };
  return { version: Number(row?.version ?? 0), calendar };
}

async function readSet(
  tx: SqlTransaction,
  orgId: string,
  version: number,
  { timeZone, firstMonth }: OrgCalendar,
): Promise<BudgetSet> {
  const rows = await tx.query<BudgetRow>(BUDGETS, [orgId]);
  return new BudgetSet(version, new WindowCalendar(timeZone, firstMonth), rows.map(budgetOf));
}

function budgetOf(row: BudgetRow): KnownBudget {
  const { id, name, scope, department, user_id: userId, model, match, split_by: splitBy } = row;
  const { amount_usd: amountUsd, period, enforcement } = row;
  const countsFrom = new Date(Number(row.counts_from));
  return { id, name, scope, department, userId, model, match, splitBy, amountUsd, period, enforcement, countsFrom };
}
