import { Injectable } from '@nestjs/common';
import type { Page, PageQuery } from '#core';
import { equal, KeysetLists, plainSql, sql, type TableList } from '#database';
import { AUDIT_COLUMNS, type AuditRow } from './audit-row.js';

/** Filters of the audit log. Rows must match all of them. */
export interface AuditFilters {
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
    { since, until, ...filters }: AuditFilters,
    query: PageQuery,
    show: (row: ShownAuditRow) => Item,
  ): Promise<Page<Item>> {
    const { action, resourceType, resourceId, actorId } = filters;
    const list: TableList<ShownAuditRow> = {
      name: 'audit-log',
      filters: { ...filters, since: since?.toISOString(), until: until?.toISOString() },
      table: 'audit_log',
      as: 'a',
      where: [
        ...equal({ action, resource_type: resourceType, resource_id: resourceId, actor_id: actorId }),
        since && sql`occurred_at >= ${since}`,
        until && sql`occurred_at < ${until}`,
      ],
      rows: plainSql(`${AUDIT_COLUMNS}, encode(hash, 'hex') as hash`),
      order: { columns: ['a.seq'], direction: 'desc', position: ({ seq }) => [seq] },
    };
    return this.lists.page(orgId, query, list, show);
  }
}
