import type { JsonObject, SqlTransaction } from '#core';
import { SCHEMA, textArray, plainArray } from '#database';
import { departmentOf } from './department-rule.js';

/** A user whose department has changed. */
export type DepartmentMove = { user_id: string; from: string | null; to: string | null } & JsonObject;

/** Maximum number of users per statement. A group may contain a whole large organization. */
const USERS_PER_STATEMENT = 5_000;

interface SourceRow {
  id: string;
  current: string | null;
  attribute: string | null;
  assigned: string | null;
  group: string | null;
}

const SOURCES = `
select u.id, u.department as current, s.department as attribute, s.assigned_department as assigned, g.display_name as "group"
from ${SCHEMA}.users u
left join ${SCHEMA}.scim_users s on s.org_id = u.org_id and s.user_id = u.id
left join lateral (
  select g.display_name from ${SCHEMA}.scim_group_members m
  join ${SCHEMA}.scim_groups g on g.org_id = m.org_id and g.id = m.group_id
  where m.org_id = u.org_id and m.user_id = u.id order by g.display_name limit 1) g on true
where u.org_id = $1 and u.id = any($2::uuid[]) order by u.id`;

const WRITE = `
with said as (select * from unnest($2::uuid[], $3::text[], $4::text[]) as w (id, department, assigned)),
remembered as (
  insert into ${SCHEMA}.scim_users as s (org_id, user_id, assigned_department) select $1, id, assigned from said
  on conflict (org_id, user_id) do update set assigned_department = excluded.assigned_department
  where s.assigned_department is distinct from excluded.assigned_department)
update ${SCHEMA}.users u set department = said.department, updated_at = $5, change_version = $6
from said where u.org_id = $1 and u.id = said.id`;

/**
 * Sets the departments of users after a change of their groups. Writes the version to each of these users, because
 * their SCIM representation has changed. Returns the users whose department changed.
 */
export async function assignDepartments(
  tx: SqlTransaction,
  orgId: string,
  userIds: Iterable<string>,
  { version, now }: { version: number; now: Date },
): Promise<DepartmentMove[]> {
  const ids = [...new Set(userIds)];
  const moves: DepartmentMove[] = [];
  for (let at = 0; at < ids.length; at += USERS_PER_STATEMENT) {
    moves.push(...(await assignBatch(tx, orgId, ids.slice(at, at + USERS_PER_STATEMENT), { version, now })));
  }
  return moves;
}

async function assignBatch(
  tx: SqlTransaction,
  orgId: string,
  ids: readonly string[],
  { version, now }: { version: number; now: Date },
): Promise<DepartmentMove[]> {
  const rows = await tx.query<SourceRow>(SOURCES, [orgId, ids]);
  const wanted = rows.map(row => Object.assign(departmentOf(row), { id: row.id, from: row.current }));
  await tx.query(WRITE, [
    orgId,
    plainArray(wanted, row => row.id),
    textArray(wanted, row => row.department),
    textArray(wanted, row => row.assigned),
    now.toISOString(),
    version,
  ]);
  return wanted.flatMap(({ id, from, department: to }) => (from === to ? [] : [{ user_id: id, from, to }]));
}
