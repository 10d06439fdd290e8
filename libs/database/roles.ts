import { APP_ROLE, LOOKUP_ROLE, SCHEMA } from './database.options.js';

// Statements for migrations. They work for three kinds of roles: a superuser, a database owner with CREATEROLE, and a
// plain owner to whom an administrator granted the two roles in advance.

/** Creates the two roles if they are missing, and grants them to the migrating role. Idempotent. */
export function createRoles(): string {
  return `
do $roles$
declare
  r text;
  is_member boolean;
  is_new boolean := current_setting('server_version_num')::int >= 160000;
  how text := case when is_new then 'GRANT %1$I TO %2$I WITH INHERIT FALSE, SET TRUE' else 'GRANT %1$I TO %2$I' end;
begin
  foreach r in array array['${APP_ROLE}', '${LOOKUP_ROLE}'] loop
    if not exists (select from pg_roles where rolname = r) then
      begin
        execute format('create role %I nologin noinherit nosuperuser nocreatedb nocreaterole noreplication nobypassrls', r);
      exception
        when duplicate_object or unique_violation then null;
        when insufficient_privilege then
          raise exception 'the role % is missing and % may not create roles', r, current_user
            using errcode = '42501',
            hint = format('As an administrator: CREATE ROLE %1$I NOLOGIN; ' || how || ';', r, current_user);
      end;
    end if;
    -- PostgreSQL 16 told membership, inheritance and SET apart; before, a member could do all three.
    is_member := case when is_new then pg_has_role(current_user, r, 'SET') else pg_has_role(current_user, r, 'MEMBER') end;
    if not is_member then
      begin
        execute format(case when is_new then 'grant %I to %I with inherit false, set true' else 'grant %I to %I' end, r, current_user);
      exception when insufficient_privilege then
        raise exception '% may not take the role %', current_user, r
          using errcode = '42501', hint = format('As an administrator: ' || how || ';', r, current_user);
      end;
    end if;
  end loop;
  if (select rolsuper or rolbypassrls from pg_roles where rolname = '${APP_ROLE}') then
    raise exception '${APP_ROLE} must be neither SUPERUSER nor BYPASSRLS';
  end if;
end
$roles$`;
}

/**
 * Enables row-level security on a table. The app's role sees and writes only rows of the organization that the
 * transaction has set; if it has set none, no rows. The security is forced, so that it also applies to the owner.
 */
export function protectTable(table: string, grants: string, orgColumn = 'org_id'): string[] {
  const named = `nullif(current_setting('governance.org_id', true), '')::uuid`;
  const own = `${orgColumn} = ${named}`;
  // Reads use the plain expression, which the planner can optimize. Writes check every row, often hundreds per
  // statement. They use a subquery, which is evaluated once per statement and saves half a microsecond per row.
  const ownToo = `${orgColumn} = (select ${named})`;
  return [
    `alter table ${SCHEMA}.${table} enable row level security`,
    `alter table ${SCHEMA}.${table} force row level security`,
    `create policy ${table}_of_organization on ${SCHEMA}.${table} for all to public using (${own}) with check (${ownToo})`,
    `grant ${grants} on ${SCHEMA}.${table} to ${APP_ROLE}`,
  ];
}

/**
 * Creates a function that may read across organizations. It is for the few queries that run before the organization is
 * known. `reads` lists the readable columns by table.
 */
export function crossOrganizationFunction(
  signature: string,
  definition: string,
  reads: Record<string, string[]>,
): string[] {
  const grants = Object.entries(reads).flatMap(([table, columns]) => [
    `grant select (${columns.join(', ')}) on ${SCHEMA}.${table} to ${LOOKUP_ROLE}`,
    `drop policy if exists ${table}_lookup on ${SCHEMA}.${table}`,
    `create policy ${table}_lookup on ${SCHEMA}.${table} for select to ${LOOKUP_ROLE} using (true)`,
  ]);
  return [
    ...grants,
    `grant usage, create on schema ${SCHEMA} to ${LOOKUP_ROLE}`,
    `create function ${SCHEMA}.${signature} ${definition}`,
    `revoke all on function ${SCHEMA}.${signature} from public`,
    `grant execute on function ${SCHEMA}.${signature} to ${APP_ROLE}`,
    `alter function ${SCHEMA}.${signature} owner to ${LOOKUP_ROLE}`,
    `revoke create on schema ${SCHEMA} from ${LOOKUP_ROLE}`,
  ];
}

/** Replaces the body of a function of {@link crossOrganizationFunction}. Signature, owner and grants stay unchanged. */
export function replaceCrossOrganizationFunction(signature: string, definition: string): string[] {
  return [
    `grant create on schema ${SCHEMA} to ${LOOKUP_ROLE}`,
    // Only the owner may replace a function. The migrating role therefore temporarily switches to the owner.
    `set local role ${LOOKUP_ROLE}`,
    `create or replace function ${SCHEMA}.${signature} ${definition}`,
    'reset role',
    `revoke create on schema ${SCHEMA} from ${LOOKUP_ROLE}`,
  ];
}
