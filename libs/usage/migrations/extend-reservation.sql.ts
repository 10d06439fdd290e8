import { SCHEMA } from '#database';

/**
 * Extends the reservation of a decision by a full term from now. The expiry never becomes earlier. Returns the expiry
 * in milliseconds; null if the decision has no reservation any more.
 */
export const EXTEND_RESERVATION: readonly [signature: string, definition: string] = [
  'extend_reservation(org uuid, decision uuid, valid_for interval)',
  `returns text language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now(); expiry timestamptz;
   begin
     perform set_config('governance.org_id', org::text, true);
     update ${SCHEMA}.reservations r
     set expires_at = greatest(r.expires_at, moment + valid_for), extended_at = moment
     where r.org_id = org and r.id = decision and r.expires_at > moment
     returning r.expires_at into expiry;
     return floor(extract(epoch from expiry) * 1000)::text;
   end
   $$`,
];
