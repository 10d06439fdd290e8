import { Injectable } from '@nestjs/common';
import { caseForms, type Page, type PageQuery } from '#core';
import { equal, KeysetLists, plainSql, sql, type Sql, type TableList } from '#database';
import { AUDIT_COLUMNS, type AuditRow } from './audit-row.js';

/** Filters of the audit log. Rows must match all of them. */
export interface AuditFilters {
  /** Part of the action or of the actor's name, case-insensitive. */
  q?: string;
  action?: string;
  resourceType?: string;
  resourceId?: string;
  actorId?: string;
  /** Inclusive. */
  since?: Date;
  /** Exclusive. */
  until?: Date;
}

/** A row with its hash in hexadecimal. */
export type ShownAuditRow = AuditRow & { hash: string };

/** Reads the audit log, newest first. */
@Injectable()
export class AuditLogReader {
  constructor(private readonly lists: KeysetLists) {}

  /** One page. @throws BadRequestError if the cursor is invalid for this list */
  list<Item>(
    orgId: string,
    { since, until, q, ...filters }: AuditFilters,
    query: PageQuery,
    show: (row: ShownAuditRow) => Item,
  ): Promise<Page<Item>> {
    const { action, resourceType, resourceId, actorId } = filters;
    const list: TableList<ShownAuditRow> = {
      name: 'audit-log',
      filters: { ...filters, q: q?.toLowerCase(), since: since?.toISOString(), until: until?.toISOString() },
      table: 'audit_log',
      as: 'a',
      where: [
        ...equal({ action, resource_type: resourceType, resource_id: resourceId, actor_id: actorId }),
        q === undefined ? undefined : contains(q),
        since && sql`occurred_at >= ${since}`,
        until && sql`occurred_at < ${until}`,
      ],
      rows: plainSql(`${AUDIT_COLUMNS}, encode(hash, 'hex') as hash`),
      order: { columns: ['a.seq'], direction: 'desc', position: ({ seq }) => [seq] },
    };
    return this.lists.page(orgId, query, list, show);
  }
}

/** Actions are lowercase ASCII. Both `policy.updated` and `policy updated` find the action `policy.updated`. */
function contains(q: string): Sql {
  const [lower, asciiOnly] = caseForms(q);
  const words = lower.replaceAll(/[._]/g, ' ');
  const name = plainSql('lower(a.actor_name collate "default")');
  return sql`(strpos(translate(a.action, '._', '  '), ${words}) > 0 or strpos(${name}, ${lower}) > 0 or strpos(${name}, ${asciiOnly}) > 0)`;
}
