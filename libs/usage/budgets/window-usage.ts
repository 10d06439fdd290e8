import type { SqlTransaction, UserDirectory } from '#core';
import { SCHEMA } from '#database';
import { ModelPattern, usdToPico } from '../prices/index.js';
import { conditionsOf, NO_PART, partOf, ScopeIndex } from '../scopes/index.js';
import type { BudgetWindow } from '../windows/index.js';
import type { KnownBudget } from './budget-scope.js';
import { usagePieces, type UsagePiece } from './usage-pieces.js';

interface Source {
  table: string;
  at: string;
  type: 'date' | 'timestamptz';
}

// Stored events never change: adjustments of their cost are separate rows. Rollups contain both.
const CORRECTED_EVENTS = `(
  select org_id, occurred_at, user_id, model, cost_usd from ${SCHEMA}.usage_events
  union all
  select a.org_id, a.occurred_at, e.user_id, e.model, a.cost_delta_usd from ${SCHEMA}.usage_adjustments a
  join ${SCHEMA}.usage_events e on e.org_id = a.org_id and e.id = a.event_id and e.occurred_at = a.occurred_at)`;

const SOURCES: Record<UsagePiece['source'], Source> = {
  days: { table: `${SCHEMA}.usage_daily`, at: 'day', type: 'date' },
  hours: { table: `${SCHEMA}.usage_hourly`, at: 'hour', type: 'timestamptz' },
  events: { table: CORRECTED_EVENTS, at: 'occurred_at', type: 'timestamptz' },
};

type Dimension = 'user_id' | 'model' | 'user_model';

const KEYS: Record<Dimension, string> = {
  user_id: 'user_id::text',
  model: 'model',
  user_model: `user_id::text || ' ' || model`,
};

/** Attributes of usage in the rollups. */
const KNOWN_FIELDS: ReadonlySet<string> = new Set(['department', 'user_id', 'model']);

/** Picodollars by user, by model, by both or by part. */
type Sums = ReadonlyMap<string, bigint>;

/**
 * Usage in one window by the time of the events, as budgets count it. Each sum is read when a budget first needs it, so
 * that many budgets cost no more than one per scope. The caller must hold the organization's usage lock: then the sums
 * are complete and do not change before the transaction ends.
 */
export class WindowUsage {
  private readonly sums = new Map<string, Promise<Sums>>();

  /** @param isForOne whether one budget will ask only, so that reading what concerns everybody is a waste */
  constructor(
    private readonly tx: SqlTransaction,
    private readonly orgId: string,
    private readonly window: BudgetWindow,
    private readonly users: UserDirectory,
    private readonly isForOne: boolean,
  ) {}

  /**
   * Usage of each part of a budget in the window, in picodollars; a budget that is not split has the empty part.
   * Undefined if the rollups do not have the attribute: then past usage does not count.
   */
  async countedBy(budget: KnownBudget): Promise<Sums | undefined> {
    if (budget.match || budget.splitBy) return this.combined(budget);
    return new Map([[NO_PART, await this.single(budget)]]);
  }

  private async single({ scope, department, userId, model }: KnownBudget): Promise<bigint> {
    if (scope === 'user') {
      const sums = await this.once('user', () => this.read('user_id', this.isForOne ? userId : null));
      return sums.get(userId ?? '') ?? 0n;
    }
    if (scope === 'department') {
      const sums = await this.once('department', () => this.byDepartment());
      return sums.get(department ?? '') ?? 0n;
    }
    if (scope === 'organization') return total(await this.once('all', () => this.read(null, null)));
    const sums = await this.once('model', () => this.read('model', null));
    const pattern = new ModelPattern(model ?? '');
    return total(sums, name => pattern.matches(name));
  }

  private once(key: string, read: () => Promise<Sums>): Promise<Sums> {
    const known = this.sums.get(key) ?? read();
    this.sums.set(key, known);
    return known;
  }

  /** By user, model and current department of users. */
  private async combined(budget: KnownBudget): Promise<Sums | undefined> {
    const { splitBy } = budget;
    if (splitBy === 'project' || splitBy === 'token') return undefined;
    if (Object.keys(conditionsOf(budget)).some(field => !KNOWN_FIELDS.has(field))) return undefined;
    const index = new ScopeIndex([budget]);
    const used = [...(await this.once('user model', () => this.read('user_model', null)))];
    const ids = used.map(([key]) => key.slice(0, key.indexOf(' ')));
    const people = await this.users.find(
      this.orgId,
      ids.map(id => ({ user_id: id })),
    );
    const sums = new Map<string, bigint>(splitBy ? [] : [[NO_PART, 0n]]);
    for (const [at, [key, spent]] of used.entries()) {
      const userId = ids[at] ?? '';
      const subject = { userId, department: people[at]?.department ?? null, model: key.slice(userId.length + 1) };
      if (index.matching(subject).length === 0) continue;
      const part = partOf(splitBy, subject);
      sums.set(part, (sums.get(part) ?? 0n) + spent);
    }
    return sums;
  }

  /** By current department of users. */
  private async byDepartment(): Promise<Sums> {
    const byUser = [...(await this.read('user_id', null))];
    const people = await this.users.find(
      this.orgId,
      byUser.map(([id]) => ({ user_id: id })),
    );
    const sums = new Map<string, bigint>();
    for (const [at, [, spent]] of byUser.entries()) {
      const department = people[at]?.department ?? null;
      if (department !== null) sums.set(department, (sums.get(department) ?? 0n) + spent);
    }
    return sums;
  }

  private async read(by: Dimension | null, onlyUser: string | null): Promise<Sums> {
    const parameters: unknown[] = [this.orgId, ...(onlyUser === null ? [] : [onlyUser])];
    const key = by === null ? `''` : KEYS[by];
    const pieces = usagePieces(this.window).map(({ source, from, until }) => {
      const { table, at, type } = SOURCES[source];
      const [first, end] = [from, until].map(time => {
        const text = time.toISOString();
        return `$${parameters.push(type === 'date' ? text.slice(0, 10) : text)}::${type}`;
      });
      return (
        `select ${key} as key, sum(cost_usd) as cost from ${table} used where org_id = $1 ` +
        `and ${at} >= ${first} and ${at} < ${end}${onlyUser === null ? '' : ' and user_id = $2'} group by 1`
      );
    });
    const sql = `select key, coalesce(sum(cost), 0)::text as cost from (${pieces.join(' union all ')}) u group by 1`;
    const rows = await this.tx.query<{ key: string; cost: string }>(sql, parameters);
    return new Map(rows.map(({ key: name, cost }) => [name, usdToPico(cost) ?? 0n]));
  }
}

function total(sums: Sums, counts: (key: string) => boolean = () => true): bigint {
  let sum = 0n;
  for (const [key, spent] of sums) if (counts(key)) sum += spent;
  return sum;
}
