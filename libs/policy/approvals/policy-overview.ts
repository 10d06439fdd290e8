import { Injectable } from '@nestjs/common';
import type { LiveTopic, OverviewApprovals, SqlTransaction, SearchKind } from '#core';
import { markPosition, newestPosition, OverviewPart, SCHEMA } from '#database';
import { POLICIES_TOPIC } from '../policy.topic.js';
import { APPROVALS_TOPIC } from './organization-grants.js';

const WAITING = `org_id = $1 and status = 'pending' and expires_at > $2`;

const COUNT = `select count(*)::float8 as count from ${SCHEMA}.approvals where ${WAITING}`;

const OLDEST = `
select id, policy_id, policy_name, user_id, user_email, provider, model, requested_at, expires_at
from ${SCHEMA}.approvals where ${WAITING} order by id limit 10`;

type Row = Omit<OverviewApprovals['oldest'][number], 'requested_at' | 'expires_at'> & {
  requested_at: Date;
  expires_at: Date;
};

const KINDS: readonly SearchKind[] = [
  {
    kind: 'policy',
    scope: 'policies:read',
    sql: `select id::text, name as title, action as subtitle from ${SCHEMA}.policies
   where org_id = $1 and (id = $3::uuid or strpos(lower(name), $2) > 0) order by name, id limit 5`,
  },
  {
    kind: 'approval',
    scope: 'approvals:read',
    sql: `select id::text, policy_name as title, status as subtitle from ${SCHEMA}.approvals where org_id = $1 and id = $3::uuid`,
  },
  {
    kind: 'decision',
    scope: 'decisions:read',
    sql: `select id::text, model as title, action as subtitle from ${SCHEMA}.decisions where org_id = $1 and id = $3::uuid`,
  },
];

const REQUESTED = `
select count(*) || ' ' || coalesce(sum(requests), 0) from ${SCHEMA}.approvals where org_id = $1 and status = 'pending'`;

const OWN_APPROVALS = `
select count(*) || ' ' || coalesce(sum(requests), 0) || ' ' || coalesce(max(decided_at)::text, '')
from ${SCHEMA}.approvals where org_id = $1 and user_id = $2::text`;

const TOPICS: readonly LiveTopic[] = [
  { name: 'policies', scope: 'policies:read', position: markPosition(POLICIES_TOPIC) },
  { name: 'decisions', scope: 'decisions:read', position: newestPosition('decisions') },
  {
    name: 'approvals',
    scope: 'approvals:read',
    position: `select concat_ws(' ', (${markPosition(APPROVALS_TOPIC)}), (${newestPosition('approvals')}), (${REQUESTED}))`,
    own: { scope: 'approvals:read:own', position: OWN_APPROVALS },
  },
];

/** Adds pending requests for approval to the overview. */
@Injectable()
export class PolicyOverview extends OverviewPart<'approvals'> {
  override readonly name = 'approvals';
  override readonly scope = 'approvals:read';
  protected override readonly kinds = KINDS;
  protected override readonly topics = TOPICS;
  protected override readonly step = { name: 'policy', table: 'policies' } as const;

  override async read(tx: SqlTransaction, orgId: string, now: Date): Promise<OverviewApprovals> {
    const [waiting] = await tx.query<{ count: number }>(COUNT, [orgId, now]);
    const oldest = await tx.query<Row>(OLDEST, [orgId, now]);
    return {
      waiting: waiting?.count ?? 0,
      oldest: oldest.map(row =>
        Object.assign(row, {
          requested_at: new Date(row.requested_at).toISOString(),
          expires_at: new Date(row.expires_at).toISOString(),
        }),
      ),
    };
  }
}
