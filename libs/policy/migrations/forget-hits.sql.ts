import { atLeastFloor, SCHEMA } from '#database';

/**
 * Deletes counts of hits that are older than the last `keep_days` UTC days, of every organization, at most `most` at a
 * time. No caller can go below the minimum retention of decisions. Returns the number of deleted rows.
 */
export const FORGET_HITS: readonly [signature: string, definition: string] = [
  'forget_policy_hits(keep_days integer, most integer)',
  `returns bigint language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   declare
     forgotten bigint;
   begin
     if keep_days is null or keep_days < 1 then
       raise exception 'forget_policy_hits: keeps at least one day';
     end if;
     delete from ${SCHEMA}.policy_hits h using (
       select o.org_id, o.policy_id, o.quarter from ${SCHEMA}.policy_hits o
       where o.quarter < date_trunc('day', ${SCHEMA}.now(), 'UTC')
         - ${atLeastFloor(`'decisions'`, 'keep_days')} * interval '1 day'
       order by o.quarter limit most) old
     where h.org_id = old.org_id and h.policy_id = old.policy_id and h.quarter = old.quarter;
     get diagnostics forgotten = row_count;
     return forgotten;
   end
   $$`,
];
