import { atLeastFloor, SCHEMA } from '#database';

/**
 * Deletes the hourly figures of all organizations that are older than `keep_days` UTC days. The minimum retention of
 * events applies to every caller. Returns the number of deleted rows.
 */
export const FORGET_HOURS: readonly [signature: string, definition: string] = [
  'forget_webhook_hours(keep_days integer)',
  `returns bigint language plpgsql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   declare
     forgotten bigint;
   begin
     if keep_days is null or keep_days < 1 then raise exception 'forget_webhook_hours: keeps at least one day'; end if;
     delete from ${SCHEMA}.webhook_hours h
     where h.hour < (date_trunc('day', ${SCHEMA}.now(), 'UTC') 
       - ${atLeastFloor(`'events'`, 'keep_days')} * interval '1 day');
     get diagnostics forgotten = row_count;
     return forgotten;
   end
   $$`,
];
