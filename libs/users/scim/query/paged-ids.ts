import { LRUCache } from 'lru-cache';
import { digestFilters, type SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import { USERS_TOPIC } from '../../users.topic.js';
import { RESULTS_MAX, type ListRequest } from '../protocol/list-request.js';

const VERSION = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = '${USERS_TOPIC}'`;

/** Distance between two cached positions of a list. A page skips fewer rows than this. */
const STEP = RESULTS_MAX;

const LISTS_MAX = 200;

/** Cached data of a list. Valid until data changes on which the list depends. */
interface KnownList {
  readonly totalResults: number;
  /** Ids at equidistant positions of the list. Filled when a request first asks for a late page. */
  places?: string[];
}

/** Rows of a list: `from … where …` with `$1` as the organization. */
export interface ListSource {
  sql: string;
  parameters: unknown[];
  /** SQL for `total` and its `version`, if the database stores the number of rows. `$1` is the organization. */
  totalSql?: string;
}

/** The ids on a page, and the total number of rows. */
export interface IdPage {
  ids: string[];
  totalResults: number;
}

/**
 * Pages of ids by page number, with an exact total. A list that fits on its first page is counted while it is read. For
 * a longer list, a stored total is used. If there is none, the list is counted once until the next change. A request
 * for a late page caches positions of the list, so that later pages skip only a few rows. Every change that can affect
 * a list increments the version of the topic `users`. A stored total has a version of its own.
 */
export class PagedIds {
  /** Each key contains a version, so a cached entry is never outdated. */
  private readonly lists = new LRUCache<string, KnownList>({ max: LISTS_MAX });

  /** `id` is the column of the id, which is unique within the organization. */
  constructor(private readonly id: 'u.id' | 'g.id') {}

  /** Returns one page. The caller must use a snapshot, so that the version and the list are consistent. */
  async page(
    tx: SqlTransaction,
    orgId: string,
    source: ListSource,
    { startIndex, count }: Pick<ListRequest, 'startIndex' | 'count'>,
  ): Promise<IdPage> {
    if (startIndex === 1 && count > 0) {
      const ids = await this.idsFrom(tx, source, { count });
      return {
        ids,
        totalResults: ids.length < count ? ids.length : (await this.known(tx, orgId, source)).totalResults,
      };
    }
    const list = await this.known(tx, orgId, source);
    const { totalResults } = list;
    if (count === 0 || startIndex > totalResults) return { ids: [], totalResults };
    const before = startIndex - 1;
    const place = Math.floor(before / STEP);
    if (place > 0) list.places ??= await this.placesOf(tx, source);
    const after = place === 0 ? undefined : list.places?.[place - 1];
    const skipped = after === undefined ? before : before % STEP;
    return { ids: await this.idsFrom(tx, source, { after, skipped, count }), totalResults };
  }

  private async idsFrom(
    tx: SqlTransaction,
    { sql, parameters }: ListSource,
    { after, skipped = 0, count }: { after?: string | undefined; skipped?: number; count: number },
  ): Promise<string[]> {
    const from = after === undefined ? '' : ` and ${this.id} > $${parameters.length + 1}::uuid`;
    const rows = await tx.query<{ id: string }>(
      `select ${this.id} ${sql}${from} order by ${this.id} offset ${skipped} limit ${count}`,
      after === undefined ? parameters : [...parameters, after],
    );
    return rows.map(row => row.id);
  }

  /** The ids at the end of each interval of the list. */
  private async placesOf(tx: SqlTransaction, { sql, parameters }: ListSource): Promise<string[]> {
    const placed = `select ${this.id}, row_number() over (order by ${this.id}) as place ${sql}`;
    const rows = await tx.query<{ id: string }>(
      `select id from (${placed}) placed where place % ${STEP} = 0 order by place`,
      parameters,
    );
    return rows.map(row => row.id);
  }

  private async known(tx: SqlTransaction, orgId: string, source: ListSource): Promise<KnownList> {
    if (source.totalSql !== undefined) {
      const [kept] = await tx.query<{ total: string; version: string }>(source.totalSql, [orgId]);
      const key = `${orgId} total ${kept?.version ?? 0}`;
      return this.listOf(key, () => Promise.resolve(Number(kept?.total ?? 0)));
    }
    const { sql, parameters } = source;
    const [mark] = await tx.query<{ version: string }>(VERSION, [orgId]);
    const texts = parameters.map(parameter => JSON.stringify(parameter));
    return this.listOf(`${orgId} ${mark?.version ?? 0} ${digestFilters(sql, { texts })}`, async () => {
      const [counted] = await tx.query<{ count: string }>(`select count(*) ${sql}`, parameters);
      return Number(counted?.count ?? 0);
    });
  }

  private async listOf(key: string, count: () => Promise<number>): Promise<KnownList> {
    const found = this.lists.get(key);
    if (found) return found;
    const list: KnownList = { totalResults: await count() };
    this.lists.set(key, list);
    return list;
  }
}
