import { Injectable } from '@nestjs/common';
import { type CursorPosition, type Page, type PageQuery, type SqlTransaction, UserDirectory } from '#core';
import { type CustomList, KeysetLists, LONG_READ_MS, OrgDatabase, showPage, sqlOf } from '#database';
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

/** What one user used of one model in one period. */
export interface UsageSummary {
  userId: string;
  /** Missing where the directory does not know the user any more. */
  userEmail: string | undefined;
  model: string;
  provider: string;
  /** Label of the period. */
  period: string;
  figures: Figures;
}

/** Lines read at a time where a whole report is wanted. */
const CHUNK = 1_000;

// The plans that sort or hash read everything before the first line; pages must not.
const READ_IN_ORDER = `select set_config('enable_hashagg', 'off', true), set_config('enable_sort', 'off', true),
  set_config('jit', 'off', true)`;

/** Reads usage from the rollups: in pages, or as a whole piece by piece. */
@Injectable()
export class UsageReportService {
  constructor(
    private readonly database: OrgDatabase,
    private readonly users: UserDirectory,
    private readonly lists: KeysetLists,
  ) {}

  /** One page. @throws BadRequestError where the cursor is not valid here. */
  async page<Item>(
    orgId: string,
    filter: UsageFilter,
    paging: PageQuery,
    show: (summary: UsageSummary) => Item,
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
    const page = await this.lists.page(orgId, paging, list, row => row);
    const emails = await this.emailsOf(orgId, page.items);
    return showPage(page, row => show(summaryOf(filter, row, emails)));
  }

  /**
   * The whole report, newest period first, in pieces of up to 1,000 lines. Each piece is read when the one before has
   * been taken, in a transaction of its own: memory stays constant and no connection waits for a slow reader.
   */
  async *all(orgId: string, filter: UsageFilter): AsyncGenerator<UsageSummary[]> {
    let after: UsagePosition | undefined;
    for (;;) {
      const page = usagePage(orgId, filter, after, CHUNK);
      const rows = await this.database.transaction(
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

/** The days of one user are few and lie in the order of days: those are added up first and sorted then. */
async function readInOrder(tx: SqlTransaction, { period, userId }: UsageFilter): Promise<void> {
  const isSumOfFew = userId !== undefined && (period === 'weekly' || period === 'monthly');
  if (!isSumOfFew) await tx.query(READ_IN_ORDER);
}

function filtersOf({ period, range, userId, model }: UsageFilter): CustomList<UsageRow>['filters'] {
  const from = range.from && formatCalendarDate(range.from);
  const until = range.until?.toISOString() ?? null;
  return { period, from, until, userId, model };
}

function positionIn(position: CursorPosition): UsagePosition {
  const [start, userId, model, provider] = position.map(String);
  if (start === undefined || userId === undefined || model === undefined || provider === undefined) {
    throw new Error('a sealed usage cursor has four parts');
  }
  return { start, userId, model, provider };
}

function summaryOf({ period }: UsageFilter, row: UsageRow, emails: ReadonlyMap<string, string>): UsageSummary {
  return {
    userId: row.user_id,
    userEmail: emails.get(row.user_id),
    model: row.model,
    provider: row.provider,
    period: periodLabel(period, new Date(row.start)),
    figures: figuresOf(row),
  };
}
