import { digestFilters, type SqlTransaction } from '#core';
import { SCHEMA } from '#database';
import { USERS_TOPIC } from '../../users.topic.js';
import type { ListRequest } from '../protocol/list-request.js';

const VERSION = `select version::text from ${SCHEMA}.change_marks where org_id = $1 and topic = '${USERS_TOPIC}'`;
const LISTS_MAX = 200;
const PAGES_MAX = 2_000;

/** What is known of a list as long as nothing of the organization's users and groups changes. */
interface KnownList {
  totalResults: number;
  /** Id of the last resource of a page that was read, by its number in the list. */
  ends: Map<number, string>;
}

/** Rows of a list: `from … where …` with `$1` as the organization. */
export interface ListSource {
  sql: string;
  parameters: unknown[];
}

/**
 * Pages of ids in their order, by number, with an exact total. Counting and skipping cost as much as a list is long, so
 * what was counted and where pages ended is remembered until the next change: whoever reads a long list page by page
 * reads every row once. Everything that a list can depend on raises the mark of the topic `users`.
 */
export class PagedIds {
  private readonly lists = new Map<string, KnownList>();

  /** `id`: the column of the id, which is unique within the organization. */
  constructor(private readonly id: 'u.id' | 'g.id') {}

  /** To be called in a snapshot: the mark and the list must be of one moment. */
  async page(
    tx: SqlTransaction,
    orgId: string,
    source: ListSource,
    { startIndex, count }: Pick<ListRequest, 'startIndex' | 'count'>,
  ): Promise<{ ids: string[]; totalResults: number }> {
    const list = await this.known(tx, orgId, source);
    const { totalResults, ends } = list;
    if (count === 0 || startIndex > totalResults) return { ids: [], totalResults };
    const { sql, parameters } = source;
    const before = ends.get(startIndex - 1);
    const from = before === undefined ? '' : ` and ${this.id} > $${parameters.length + 1}::uuid`;
    const offset = before === undefined ? ` offset ${startIndex - 1}` : '';
    const rows = await tx.query<{ id: string }>(
      `select ${this.id} ${sql}${from} order by ${this.id}${offset} limit ${count}`,
      before === undefined ? parameters : [...parameters, before],
    );
    const ids = rows.map(row => row.id);
    const last = ids.at(-1);
    if (last !== undefined && ends.size < PAGES_MAX) ends.set(startIndex - 1 + ids.length, last);
    return { ids, totalResults };
  }

  private async known(tx: SqlTransaction, orgId: string, { sql, parameters }: ListSource): Promise<KnownList> {
    const [mark] = await tx.query<{ version: string }>(VERSION, [orgId]);
    const texts = parameters.map(parameter => JSON.stringify(parameter));
    const key = `${orgId} ${mark?.version ?? 0} ${digestFilters(sql, { texts })}`;
    const found = this.lists.get(key);
    if (found) return found;
    const [counted] = await tx.query<{ count: string }>(`select count(*) ${sql}`, parameters);
    const list: KnownList = { totalResults: Number(counted?.count ?? 0), ends: new Map() };
    const [oldest] = this.lists.keys();
    if (this.lists.size >= LISTS_MAX && oldest !== undefined) this.lists.delete(oldest);
    this.lists.set(key, list);
    return list;
  }
}
