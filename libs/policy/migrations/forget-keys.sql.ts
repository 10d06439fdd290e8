import { atLeastFloor, SCHEMA } from '#database';

/**
 * Deletes idempotency keys of decisions that are older than the last `keep_days` UTC days, of every organization, at
 * most `most` at a time. Never deletes keys within the minimum retention of decisions, even if the caller passes fewer
 * days. Returns the number of deleted keys.
 */
export const FORGET_KEYS: readonly [signature: string, definition: string] = [
  'forget_decision_keys(keep_days integer, most integer)',
  `returns bigint language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   declare
     kept_from uuid := ${SCHEMA}.first_id_of((${SCHEMA}.now() at time zone 'UTC')::date
       - ${atLeastFloor(`'decisions'`, 'keep_days')});
     forgotten bigint;
   begin
     if keep_days is null or keep_days < 1 then
       raise exception 'forget_decision_keys: keeps at least one day';
     end if;
     -- A key that somebody takes anew meanwhile is looked at again, and stays.
     delete from ${SCHEMA}.decision_keys k using (
       select o.org_id, o.idempotency_key from ${SCHEMA}.decision_keys o where o.decision_id < kept_from
       order by o.decision_id limit most) old
     where k.org_id = old.org_id and k.idempotency_key = old.idempotency_key and k.decision_id < kept_from;
     get diagnostics forgotten = row_count;
     return forgotten;
   end
   $$`,
];
