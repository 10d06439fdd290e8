import { Migration } from '@mikro-orm/migrations';
import { crossOrganizationFunction, protectTable, SCHEMA } from '#database';

/** Requests for approval, and the decisions that wait for them. */
export class ApprovalsMigration0410 extends Migration {
  override up(): void {
    // There is no foreign key to the policy, because a grant remains when its policy is deleted.
    this.addSql(`create table ${SCHEMA}.approvals (
      org_id uuid not null,
      id uuid not null,
      policy_id uuid not null,
      policy_name text not null,
      user_id text not null,
      user_email text,
      provider text not null,
      model text not null,
      status text not null check (status in ('pending', 'approved', 'denied', 'expired', 'revoked')),
      requests bigint not null check (requests >= 0),
      requested_at timestamptz not null,
      last_requested_at timestamptz not null,
      decided_at timestamptz,
      decided_by jsonb,
      reason text,
      expires_at timestamptz not null,
      primary key (org_id, id),
      constraint approvals_decided check (
        (decided_at is null) = (decided_by is null) and
        case when status = 'pending' then decided_at is null
          when status = 'expired' then true else decided_at is not null end))`);
    this.addSql(`create unique index approvals_pending on ${SCHEMA}.approvals (org_id, policy_id, user_id, model)
      where status = 'pending'`);
    // Index to find the approval for which a decision waits, or that allows it.
    this.addSql(`create index approvals_live on ${SCHEMA}.approvals (org_id, policy_id, user_id, model)
      where status in ('pending', 'approved')`);
    this.addSql(`create index approvals_ending on ${SCHEMA}.approvals (expires_at, org_id)
      where status in ('pending', 'approved')`);
    // The id is a UUID version 7, so these indexes are also ordered by time.
    this.addSql(`create index approvals_of_status on ${SCHEMA}.approvals (org_id, status, id)`);
    this.addSql(`create index approvals_of_user on ${SCHEMA}.approvals (org_id, user_id, id)`);
    this.addSql(`create index approvals_of_policy on ${SCHEMA}.approvals (org_id, policy_id, id)`);
    this.addSql(protectTable('approvals', 'select, insert, update, delete').join(';'));

    const due = crossOrganizationFunction(
      'organizations_with_expired_approvals(moment timestamptz, most integer)',
      `returns table (org_id uuid) language sql stable security definer set search_path = pg_catalog, pg_temp
       as $$ select distinct due.org_id from (
         select a.org_id from ${SCHEMA}.approvals a
         where a.status in ('pending', 'approved') and a.expires_at <= moment order by a.expires_at limit most) due $$`,
      { approvals: ['org_id', 'status', 'expires_at'] },
    );
    for (const statement of due) this.addSql(statement);

    this.addSql(`alter table ${SCHEMA}.decisions add column approval_id uuid`);
  }
}
