import { Injectable } from '@nestjs/common';
import { countRows, OrgDatabase, sqlOf } from '#database';
import { AUDIT_COLUMNS, type AuditRow } from './audit-row.js';

/** Which rows of the audit log are wanted; all that are given must match. */
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
  constructor(private readonly database: OrgDatabase) {}

  /** At most `limit` rows before the row `beforeSeq`. */
  async list(
    orgId: string,
    filters: AuditFilters,
    page: { beforeSeq?: number; limit: number },
  ): Promise<ShownAuditRow[]> {
    const { where, parameters } = conditions(orgId, filters);
    if (page.beforeSeq !== undefined) where.push(`seq < $${parameters.push(page.beforeSeq)}`);
    const sql = `select ${AUDIT_COLUMNS}, encode(hash, 'hex') as hash from governance.audit_log
      where ${where.join(' and ')} order by seq desc limit $${parameters.push(page.limit)}`;
    return this.database.transaction(orgId, em => sqlOf(em).query<ShownAuditRow>(sql, parameters));
  }

  /** Exact up to 10,000, an estimate beyond. */
  async count(orgId: string, filters: AuditFilters): Promise<number> {
    const { where, parameters } = conditions(orgId, filters);
    const sql = `select 1 from governance.audit_log where ${where.join(' and ')}`;
    return this.database.transaction(orgId, em => countRows(sqlOf(em), sql, parameters));
  }
}

function conditions(orgId: string, filters: AuditFilters): { where: string[]; parameters: unknown[] } {
  const wanted: [string, unknown][] = [
    ['org_id =', orgId],
    ['action =', filters.action],
    ['resource_type =', filters.resourceType],
    ['resource_id =', filters.resourceId],
    ['actor_id =', filters.actorId],
    ['occurred_at >=', filters.since],
    ['occurred_at <', filters.until],
  ];
  const given = wanted.filter(([, value]) => value !== undefined);
  return {
    where: given.map(([comparison], index) => `${comparison} $${index + 1}`),
    parameters: given.map(([, value]) => value),
  };
}
