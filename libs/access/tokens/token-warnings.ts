import { Injectable } from '@nestjs/common';
import type { EntityManager } from '@mikro-orm/postgresql';
import { Clock } from '#core';
import { OrgDatabase, SCHEMA, sqlOf } from '#database';
import type { Role } from '../principals/scopes.js';
import { HOLDS } from './token.sql.js';
import { DUE_DAYS, IS_DUE } from './token-warnings.sql.js';

/** A token that expires soon. */
export interface ExpiringToken {
  readonly id: string;
  readonly name: string;
  readonly role: Role;
  readonly userId: string | null;
  readonly project: string | null;
  readonly expiresAt: Date;
  /** The warning that is due: 30, 7 or 1 days. */
  readonly daysLeft: number;
  readonly lastUsedAt: Date | null;
}

interface Row {
  id: string;
  name: string;
  role: Role;
  user_id: string | null;
  project: string | null;
  expires_at: string;
  days: number;
  last_used_at: string | null;
}

const ORGANIZATIONS = `select org_id::text from ${SCHEMA}.organizations_with_expiring_tokens($1)`;

const MILLIS = (column: string): string => `(extract(epoch from ${column}) * 1000)::text`;

/** Maximum number of tokens per statement. */
const BATCH = 500;

// Locks rows in the order of their ids, as in revocations of several tokens. Skips rows that another replica has
// locked.
const TAKE = `
with due as materialized (
  select t.id, ${DUE_DAYS('$2::timestamptz')} as days from ${SCHEMA}.access_tokens t
  where t.org_id = $1 and ${IS_DUE('$2::timestamptz')} and ${HOLDS}
  order by t.id limit ${BATCH} for no key update of t skip locked)
update ${SCHEMA}.access_tokens t set warned_days = due.days from due
where t.org_id = $1 and t.id = due.id
returning t.id::text, t.name, t.role, t.user_id::text, t.project, due.days, ${MILLIS('t.expires_at')} as expires_at,
  ${MILLIS('t.last_used_at')} as last_used_at`;

/** Finds tokens that expire soon and for which a warning is due. */
@Injectable()
export class TokenWarnings {
  constructor(
    private readonly database: OrgDatabase,
    private readonly clock: Clock,
  ) {}

  /** Organizations with due warnings. */
  async organizations(): Promise<string[]> {
    const rows = await this.database.global<{ org_id: string }>(ORGANIZATIONS, [this.now()]);
    return rows.map(({ org_id: id }) => id);
  }

  /**
   * Claims due warnings, at most 500. Across replicas, each warning is claimed once, provided that the caller's
   * transaction commits. The caller must therefore send the warnings in that transaction.
   */
  async take(em: EntityManager, orgId: string): Promise<ExpiringToken[]> {
    const rows = await sqlOf(em).query<Row>(TAKE, [orgId, this.now()]);
    return rows.map(row => ({
      id: row.id,
      name: row.name,
      role: row.role,
      userId: row.user_id,
      project: row.project,
      expiresAt: new Date(Number(row.expires_at)),
      daysLeft: row.days,
      lastUsedAt: row.last_used_at === null ? null : new Date(Number(row.last_used_at)),
    }));
  }

  private now(): string {
    return this.clock.now().toISOString();
  }
}
