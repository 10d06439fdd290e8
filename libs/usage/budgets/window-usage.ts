import type { SqlTransaction, Tags } from '#core';
import { plainArray, SCHEMA } from '#database';
import { NO_ATTRIBUTION } from '../attribution/index.js';
import { usdToPico } from '../prices/index.js';
import { conditionsOf, NO_PART, partOf, ScopeIndex, type ScopeSplit, type SpendSubject } from '../scopes/index.js';
import type { BudgetWindow } from '../windows/index.js';
import type { KnownBudget } from './budget-scope.js';
import { usagePieces, type UsagePiece } from './usage-pieces.js';

interface Source {
  table: string;
  at: string;
  type: 'date' | 'timestamptz';
}

// Stored events never change: a re-rating adds separate adjustment rows. Rollups contain both events and adjustments.
const CORRECTED_EVENTS = `(
  select org_id, occurred_at, user_id, model, coalesce(attribution_id, '${NO_ATTRIBUTION}') as attribution_id, cost_usd
  from ${SCHEMA}.usage_events
  union all
  select a.org_id, a.occurred_at, e.user_id, e.model, coalesce(e.attribution_id, '${NO_ATTRIBUTION}'), a.cost_delta_usd
  from ${SCHEMA}.usage_adjustments a
  join ${SCHEMA}.usage_events e on e.org_id = a.org_id and e.id = a.event_id and e.occurred_at = a.occurred_at)`;

const SOURCES: Record<UsagePiece['source'], Source> = {
  days: { table: `${SCHEMA}.usage_daily`, at: 'day', type: 'date' },
  hours: { table: `${SCHEMA}.usage_hourly`, at: 'hour', type: 'timestamptz' },
  events: { table: CORRECTED_EVENTS, at: 'occurred_at', type: 'timestamptz' },
};

/** Fields of conditions that can be checked on usage without its user and attribution. */
const PLAIN_FIELDS: ReadonlySet<string> = new Set(['model']);

/** Dimensions by which usage is summed. The model is always one of them. */
interface Grain {
  readonly users: boolean;
  readonly attributions: boolean;
}

interface UsedRow {
  user_id: string;
  model: string;
  department: string | null;
  project: string | null;
  tags: string | null;
  token_id: string | null;
  cost: string;
}

interface Used {
  readonly subject: SpendSubject;
  readonly picodollars: bigint;
}

/** Cost in picodollars by part. */
type Sums = ReadonlyMap<string, bigint>;

/**
 * Usage in one window, by the time of the events, as reports count it. Reads a sum when the first budget needs it;
 * budgets with the same dimensions share it. The caller must hold the organization's usage lock. The lock makes the
 * sums complete, and keeps them unchanged until the transaction ends.
 */
export class WindowUsage {
  private readonly known = new Map<string, Promise<readonly Used[]>>();

  /**
   * @param isForOne whether only one budget needs sums. If that budget is for one user, usage of other users is not
   *   read
   */
  constructor(
    private readonly tx: SqlTransaction,
    private readonly orgId: string,
    private readonly window: BudgetWindow,
    private readonly isForOne: boolean,
  ) {}

  /**
   * Usage of each part of a budget in the window, in picodollars. A budget without a split has one part with an empty
   * name. The department, project, tags and token are those recorded with the usage. Usage that reports show as
   * `(other)` does not count for any named value.
   */
  async countedBy(budget: KnownBudget): Promise<Sums> {
    const { splitBy } = budget;
    const index = new ScopeIndex([budget]);
    const sums = new Map<string, bigint>(splitBy ? [] : [[NO_PART, 0n]]);
    for (const { subject, picodollars } of await this.usedFor(budget)) {
      if (index.matching(subject).length === 0) continue;
      const part = partOf(splitBy, subject);
      sums.set(part, (sums.get(part) ?? 0n) + picodollars);
    }
    return sums;
  }

  private usedFor(budget: KnownBudget): Promise<readonly Used[]> {
    const fields = [...Object.keys(conditionsOf(budget)), ...(budget.splitBy ? [SPLIT_FIELDS[budget.splitBy]] : [])];
    const users = fields.includes('user_id');
    const attributions = fields.some(field => field !== 'user_id' && !PLAIN_FIELDS.has(field));
    const onlyUser = this.isForOne ? (conditionsOf(budget)['user_id'] ?? null) : null;
    const key = JSON.stringify([users, attributions, onlyUser]);
    const known = this.known.get(key) ?? this.read({ users, attributions }, onlyUser);
    this.known.set(key, known);
    return known;
  }

  private async read({ users, attributions }: Grain, onlyUser: string | null): Promise<readonly Used[]> {
    const parameters: unknown[] = [this.orgId, ...(onlyUser === null ? [] : [onlyUser])];
    const user = users ? 'user_id::text' : `''`;
    const attribution = attributions ? 'attribution_id' : `'${NO_ATTRIBUTION}'::uuid`;
    const columns = `${user} as user_id, model, ${attribution} as attribution_id`;
    const pieces = piecesOf(this.window, parameters, columns, onlyUser === null ? '' : 'and user_id = $2');
    const rows = await this.tx.query<UsedRow>(
      `select u.user_id, u.model, a.department, a.project, a.tags::text as tags, a.token_id::text as token_id,
         coalesce(u.cost, 0)::text as cost
       from (select user_id, model, attribution_id, sum(cost) as cost from (${pieces}) p
         group by 1, 2, 3) u
       left join ${SCHEMA}.usage_attributions a on a.org_id = $1 and a.id = u.attribution_id`,
      parameters,
    );
    return rows.map(usedOf);
  }
}

/** Usage of each token in a window, in US dollars, as reports count it. Tokens without usage are missing. */
export async function spentByToken(
  tx: SqlTransaction,
  orgId: string,
  window: BudgetWindow,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const parameters: unknown[] = [orgId, plainArray(tokenIds, id => id)];
  const ofTokens = `and attribution_id in (
    select a.id from ${SCHEMA}.usage_attributions a where a.org_id = $1 and a.token_id = any($2::uuid[]))`;
  const pieces = piecesOf(window, parameters, 'attribution_id', ofTokens);
  const rows = await tx.query<{ token_id: string; spent: number }>(
    `select a.token_id::text as token_id, sum(p.cost)::float8 as spent from (${pieces}) p
     join ${SCHEMA}.usage_attributions a on a.org_id = $1 and a.id = p.attribution_id group by 1`,
    parameters,
  );
  return new Map(rows.map(({ token_id: id, spent }) => [id, spent ?? 0]));
}

/** SQL for the cost of usage in a window, by columns. `$1` is the organization. */
function piecesOf(window: BudgetWindow, parameters: unknown[], columns: string, also: string): string {
  const pieces = usagePieces(window).map(({ source, from, until }) => {
    const { table, at, type } = SOURCES[source];
    const [first, end] = [from, until].map(time => {
      const text = time.toISOString();
      return `$${parameters.push(type === 'date' ? text.slice(0, 10) : text)}::${type}`;
    });
    const groups = columns.split(',').map((_, place) => place + 1);
    return `select ${columns}, sum(cost_usd) as cost from ${table} used where org_id = $1
      and ${at} >= ${first} and ${at} < ${end} ${also} group by ${groups.join()}`;
  });
  return pieces.join(' union all ');
}

const SPLIT_FIELDS: Record<ScopeSplit, string> = {
  user: 'user_id',
  department: 'department',
  project: 'project',
  token: 'token',
};

function usedOf({ user_id: userId, model, department, project, tags, token_id: tokenId, cost }: UsedRow): Used {
  const subject = { userId, model, department, project, tags: tagsOf(tags), tokenId };
  return { subject, picodollars: usdToPico(cost) ?? 0n };
}

/** AttributionRegister wrote this text. */
function tagsOf(text: string | null): Tags | null {
  return text === null ? null : (JSON.parse(text) as Tags);
}
