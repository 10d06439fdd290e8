import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, crossOrganizationFunction, protectTable, SCHEMA } from '#database';
import { ADD_SPEND, EXPIRE_RESERVATIONS, RELEASE_RESERVATIONS } from './budget-functions.sql.js';
import { EXTEND_RESERVATION } from './extend-reservation.sql.js';
import { RESERVE_SPEND } from './reserve-spend.sql.js';

const FUNCTIONS = [RESERVE_SPEND, ADD_SPEND, RELEASE_RESERVATIONS, EXPIRE_RESERVATIONS, EXTEND_RESERVATION];

/** Budgets, the spent and reserved amounts of each of their windows, and the reservations. */
export class BudgetsMigration0510 extends Migration {
  override up(): void {
    this.addSql(`create table ${SCHEMA}.budgets (
      org_id uuid not null,
      id uuid not null,
      name text collate "C" not null check (char_length(name) between 1 and 255),
      scope text not null check (scope in ('organization', 'department', 'user', 'model', 'combined')),
      department text collate "C" null,
      user_id uuid null,
      model text collate "C" null,
      amount_usd numeric(38, 12) not null check (amount_usd >= 0),
      period text not null check (period in ('daily', 'weekly', 'monthly', 'quarterly', 'yearly')),
      enforcement text not null check (enforcement in ('notify', 'block')),
      counts_from timestamptz not null,
      created_at timestamptz not null,
      updated_at timestamptz not null,
      match jsonb null check (jsonb_typeof(match) = 'object'),
      split_by text null check (split_by in ('user', 'department', 'project', 'token')),
      alerts numeric[] null check (cardinality(alerts) between 1 and 10),
      primary key (org_id, id),
      constraint budgets_complete check (
        (scope = 'department') = (department is not null)
        and (scope = 'user') = (user_id is not null)
        and (scope = 'model') = (model is not null)
        and (scope = 'combined') = (match is not null)))`);
    this.addSql(`create index budgets_newest on ${SCHEMA}.budgets (org_id, created_at desc, id desc)`);
    this.addSql(`create index budgets_of_organization on ${SCHEMA}.budgets (org_id, id) where scope = 'organization'`);
    this.protect('budgets', 'select, insert, update, delete');

    this.addSql(`create table ${SCHEMA}.budget_overrides (
      org_id uuid not null,
      budget_id uuid not null,
      part text collate "C" not null,
      amount_usd numeric(38, 12) not null check (amount_usd >= 0),
      primary key (org_id, budget_id, part),
      foreign key (org_id, budget_id) references ${SCHEMA}.budgets (org_id, id) on delete cascade)`);
    this.protect('budget_overrides', 'select, insert, update, delete');

    // Every settled call updates a row. Therefore, pages keep free space, and no index contains a column that changes.
    // The part comes last in the key, so that the windows of one budget are adjacent, and within them the parts of one
    // window.
    this.addSql(`create table ${SCHEMA}.budget_windows (
      org_id uuid not null,
      budget_id uuid not null,
      window_start timestamptz not null,
      window_end timestamptz not null,
      spent_usd numeric(38, 12) not null default 0,
      reserved_usd numeric(38, 12) not null default 0 check (reserved_usd >= 0),
      warned_at timestamptz null,
      exceeded_at timestamptz null,
      part text collate "C" not null default '',
      warned numeric null,
      primary key (org_id, budget_id, window_start, part),
      foreign key (org_id, budget_id) references ${SCHEMA}.budgets (org_id, id) on delete cascade)
      with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 500)`);
    // Index of the windows that are nearly or completely spent, so that they are found quickly among those of a hundred
    // thousand users.
    this.addSql(`create index budget_windows_warned on ${SCHEMA}.budget_windows (org_id, window_end)
      where warned_at is not null or exceeded_at is not null`);
    this.protect('budget_windows', 'select, insert, update, delete');

    // A row exists as long as the money is reserved. Only the transaction that deletes the row may release the money.
    // The column of parts is null if no budget of the reservation is split, which keeps most rows small.
    this.addSql(`create table ${SCHEMA}.reservations (
      org_id uuid not null,
      id uuid not null,
      amount_usd numeric(38, 12) not null check (amount_usd >= 0),
      budget_ids uuid[] not null,
      window_starts timestamptz[] not null,
      user_id text collate "C" not null,
      provider text collate "C" not null,
      model text collate "C" not null,
      created_at timestamptz not null,
      expires_at timestamptz not null,
      extended_at timestamptz null,
      parts text[] null,
      about jsonb null,
      primary key (org_id, id))
      with (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_threshold = 1000)`);
    // This index contains only the few extended reservations, so that other reservations do not pay for it.
    this.addSql(`create index reservations_extended on ${SCHEMA}.reservations (org_id, expires_at)
      where extended_at is not null`);
    this.protect('reservations', 'select, insert, update, delete');
    this.functions();
  }

  private functions(): void {
    for (const [signature, definition] of FUNCTIONS) {
      this.addSql(`create function ${SCHEMA}.${signature} ${definition}`);
      const name = signature.slice(0, signature.indexOf('('));
      this.addSql(`revoke all on function ${SCHEMA}.${name} from public`);
      this.addSql(`grant execute on function ${SCHEMA}.${name} to ${APP_ROLE}`);
    }
    const spent = crossOrganizationFunction(
      'spent_budgets(moment timestamptz)',
      `returns table (warned bigint, exceeded bigint)
       language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select count(*) filter (where w.exceeded_at is null), count(w.exceeded_at)
             from ${SCHEMA}.budget_windows w
             where w.window_start <= moment and w.window_end > moment
               and (w.warned_at is not null or w.exceeded_at is not null) $$`,
      { budget_windows: ['window_start', 'window_end', 'warned_at', 'exceeded_at'] },
    );
    for (const statement of spent) this.addSql(statement);
    // Goes from the oldest reservation of one organization to the oldest reservation of the next organization that has
    // reservations.
    const due = crossOrganizationFunction(
      'organizations_with_expired_reservations(most integer)',
      `returns table (org_id uuid) language sql volatile security definer set search_path = pg_catalog, pg_temp
       as $$ with recursive oldest as (
         (select r.org_id, r.expires_at from ${SCHEMA}.reservations r where r.extended_at is null
          order by r.org_id, r.id limit 1)
         union all
         select next.* from oldest o cross join lateral (
           select r.org_id, r.expires_at from ${SCHEMA}.reservations r
           where r.org_id > o.org_id and r.extended_at is null order by r.org_id, r.id limit 1) next)
       select due.org_id from (
         select o.org_id, o.expires_at from oldest o
         union all
         select r.org_id, r.expires_at from ${SCHEMA}.reservations r where r.extended_at is not null) due
       where due.expires_at <= ${SCHEMA}.now() group by due.org_id order by min(due.expires_at) limit most $$`,
      { reservations: ['org_id', 'id', 'expires_at', 'extended_at'] },
    );
    for (const statement of due) this.addSql(statement);
  }

  private protect(table: string, grants: string): void {
    for (const statement of protectTable(table, grants)) this.addSql(statement);
  }
}
