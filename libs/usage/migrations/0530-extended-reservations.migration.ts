import { Migration } from '@mikro-orm/migrations';
import { APP_ROLE, LOOKUP_ROLE, replaceCrossOrganizationFunction, SCHEMA } from '#database';
import { EXTEND_RESERVATION } from './extend-reservation.sql.js';
import { RESERVE_SPEND } from './reserve-spend.sql.js';

/** Reservations can be held longer than others that were made after them. */
export class ExtendedReservationsMigration0530 extends Migration {
  override up(): void {
    this.addSql(`alter table ${SCHEMA}.reservations add column extended_at timestamptz null`);
    // Of the few that were extended only: all others pay nothing for it.
    this.addSql(`create index reservations_extended on ${SCHEMA}.reservations (org_id, expires_at)
      where extended_at is not null`);
    this.addSql(`create or replace function ${SCHEMA}.${RESERVE_SPEND[0]} ${RESERVE_SPEND[1]}`);
    this.addSql(`create function ${SCHEMA}.${EXTEND_RESERVATION[0]} ${EXTEND_RESERVATION[1]}`);
    this.addSql(`revoke all on function ${SCHEMA}.extend_reservation from public`);
    this.addSql(`grant execute on function ${SCHEMA}.extend_reservation to ${APP_ROLE}`);
    this.addSql(`grant select (extended_at) on ${SCHEMA}.reservations to ${LOOKUP_ROLE}`);
    // Goes from one organization's oldest reservation to the next one's, over as many as hold any.
    const due = replaceCrossOrganizationFunction(
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
    );
    for (const statement of due) this.addSql(statement);
  }
}
