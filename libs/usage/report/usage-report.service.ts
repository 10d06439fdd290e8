import { Injectable } from '@nestjs/common';
import { type CursorPosition, type Page, type PageQuery, type SqlTransaction, UserDirectory } from '#core';
import { type CustomList, KeysetLists, LONG_READ_MS, OrgDatabase, showPage, sqlOf } from '#database';
import { convertedOf, type ConvertedCost, type DaysWithoutRate } from '../currency/index.js';
import { figuresOf, type Figures } from '../figures/index.js';
import { formatCalendarDate, periodLabel } from '../periods/index.js';
import {
  positionOf,
  usageLines,
  usagePage,
  type UsageFilter,
  type UsagePosition,
  type UsageRow,
} from './usage-query.js';

/** Usage of one user and one model in one period. */
export interface UsageSummary {
  userId: string;
  /** E-mail address of the user. Undefined if the directory does not know the user any more. */
  userEmail: string | undefined;
  model: string;
  provider: string;
  /** Label of the period. */
  period: string;
  figures: Figures;
  /** The cost in the currency of the report, if it has one. */
  conversion?: SummaryCurrency | undefined;
}

/** The cost of one line in another currency. */
export interface SummaryCurrency {
  readonly currency: string;
  readonly cost: ConvertedCost;
  /** Days with costs but without an exchange rate; null if there are none. */
  readonly withoutRate: DaysWithoutRate | null;
}

/** Maximum number of lines per chunk when a whole report is read. */
const CHUNK = 1_000;

// A plan with a sort or a hash would read the whole range before the first line. These settings avoid that for a page.
const READ_IN_ORDER = `select set_config('enable_hashagg', 'off', true), set_config('enable_sort', 'off', true),
  set_config('jit', 'off', true)`;

/** Reads usage reports from the rollups, in pages or as a stream of chunks. */
@Injectable()
export class UsageReportService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly lists: KeysetLists,
  ) {}

  /**
   * Returns one page.
   * @throws BadRequestError if the cursor is not valid here
   */
  async page<Item>(
    orgId: string,
    filter: UsageFilter,
    paging: PageQuery,
    show: (summary: UsageSummary) => Item,
    lists = this.lists,
  ): Promise<Page<Item>> {
    const list: CustomList<UsageRow> = {
      name: 'usage',
      filters: filtersOf(filter),
      keepCount: true,
      counted: usageLines(orgId, filter),
      position: row => Object.values(positionOf(row)),
      async read(em, { limit, after }) {
        await readInOrder(sqlOf(em), filter);
        const { sql, parameters } = usagePage(orgId, filter, after && positionIn(after), limit);
        return sqlOf(em).query(sql, parameters);
      },
    };
    const page = await lists.page(orgId, paging, list, row => row);
    const emails = await this.emailsOf(orgId, page.items);
    return showPage(page, row => show(summaryOf(filter, row, emails)));
  }

  /**
   * Yields the whole report, newest period first, in chunks of up to 1,000 lines. Each chunk is read in its own
   * transaction after the consumer has taken the previous one. Memory use stays constant, and a slow consumer holds no
   * connection.
   */
  async *all(orgId: string, filter: UsageFilter, database = this.database): AsyncGenerator<UsageSummary[]> {
    let after: UsagePosition | undefined;
    for (;;) {
      const page = usagePage(orgId, filter, after, CHUNK);
      const rows = await database.transaction(
        orgId,
        async em => {
          await readInOrder(sqlOf(em), filter);
          return sqlOf(em).query<UsageRow>(page.sql, page.parameters);
        },
        { timeoutMs: LONG_READ_MS },
      );
      const emails = await this.emailsOf(orgId, rows);
      yield rows.map(row => summaryOf(filter, row, emails));
      const last = rows.at(-1);
      if (!last || rows.length < CHUNK) return;
      after = positionOf(last);
    }
  }

  private emailsOf(orgId: string, rows: readonly UsageRow[]): Promise<Map<string, string>> {
    return this.users.emails(orgId, [...new Set(rows.map(row => row.user_id))]);
  }
}

/**
 * One user has few days, and the index contains them in the order of the days. PostgreSQL sums them first and then
 * sorts the few results.
 */
async function readInOrder(tx: SqlTransaction, { period, userId }: UsageFilter): Promise<void> {
  const isSumOfFew = userId !== undefined && (period === 'weekly' || period === 'monthly');
  if (!isSumOfFew) await tx.query(READ_IN_ORDER);
}

function filtersOf({ period, range, userId, model, currency }: UsageFilter): CustomList<UsageRow>['filters'] {
  const from = range.from && formatCalendarDate(range.from);
  const until = range.until?.toISOString() ?? null;
  return { period, from, until, userId, model, currency };
}

function positionIn(position: CursorPosition): UsagePosition {
  const [start, userId, model, provider] = position.map(String);
  if (start === undefined || userId === undefined || model === undefined || provider === undefined) {
    throw new Error('a sealed usage cursor has four parts');
  }
  return { start, userId, model, provider };
}

function summaryOf(
  { period, currency }: UsageFilter,
  row: UsageRow,
  emails: ReadonlyMap<string, string>,
): UsageSummary {
  return {
    userId: row.user_id,
    userEmail: emails.get(row.user_id),
    model: row.model,
    provider: row.provider,
    period: periodLabel(period, new Date(row.start)),
    figures: figuresOf(row),
    conversion:
      currency === undefined ? undefined : { currency, cost: convertedOf(row), withoutRate: withoutRateIn(row) },
  };
}

function withoutRateIn({ first_without_rate: first, last_without_rate: last }: UsageRow): DaysWithoutRate | null {
  return first && last ? { first_day: first, last_day: last } : null;
}
