import { Injectable } from '@nestjs/common';
import type { LiveTopic, OverviewConnectors, SqlTransaction, SearchKind } from '#core';
import { OverviewPart, SCHEMA } from '#database';

const FAILING = `
select id, name, kind, problem_code, problem_message, problem_since
from ${SCHEMA}.itsm_connectors
where org_id = $1 and active and problem_code is not null
order by problem_since desc, id limit 10`;

const NOT_CREATED = `
select count(*)::float8 as count from ${SCHEMA}.tickets
where org_id = $1 and sync_state in ('rejected', 'uncertain')`;

type Row = Omit<OverviewConnectors['failing'][number], 'problem_since'> & { problem_since: Date };

const KINDS: readonly SearchKind[] = [
  {
    kind: 'connector',
    scope: 'itsm:read',
    sql: `select id::text, name as title, kind as subtitle from ${SCHEMA}.itsm_connectors
   where org_id = $1 and (id = $3::uuid or strpos(lower(name), $2) > 0) order by name, id limit 5`,
  },
  {
    kind: 'ticket',
    scope: 'itsm:read',
    sql: `select id::text, coalesce(external_ticket_id, id::text) as title, status as subtitle from ${SCHEMA}.tickets
   where org_id = $1 and (id = $3::uuid or external_ticket_id = $4) order by id desc limit 5`,
  },
];

// A sum changes even if one of several rows with the same timestamp is committed later. A maximum would not change.
const TICKETS = `
select t.at || ' ' || (
  select sum(extract(epoch from c.updated_at)) || ' ' || count(*) from ${SCHEMA}.tickets c
  where c.org_id = $1 and c.updated_at >= t.at - interval '3 seconds')
from (select max(updated_at) as at from ${SCHEMA}.tickets where org_id = $1) t`;

const CONNECTORS = `
select count(*) || ' ' || coalesce(md5(string_agg(concat_ws(' ', id, revision, active, updated_at, problem_code, problem_since),
  ',' order by id)), '')
from ${SCHEMA}.itsm_connectors where org_id = $1`;

const TOPICS: readonly LiveTopic[] = [
  { name: 'tickets', scope: 'itsm:read', position: TICKETS },
  { name: 'connectors', scope: 'itsm:read', position: CONNECTORS },
];

/** Reports connectors with problems, and tickets that could not be created. */
@Injectable()
export class ItsmOverview extends OverviewPart<'connectors'> {
  override readonly name = 'connectors';
  override readonly scope = 'itsm:read';
  protected override readonly kinds = KINDS;
  protected override readonly topics = TOPICS;
  protected override readonly step = { name: 'connector', table: 'itsm_connectors' } as const;

  override async read(tx: SqlTransaction, orgId: string): Promise<OverviewConnectors> {
    const failing = await tx.query<Row>(FAILING, [orgId]);
    const [tickets] = await tx.query<{ count: number }>(NOT_CREATED, [orgId]);
    return {
      failing: failing.map(row => Object.assign(row, { problem_since: new Date(row.problem_since).toISOString() })),
      tickets_not_created: tickets?.count ?? 0,
    };
  }
}
