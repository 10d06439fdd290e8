import { atLeastFloor, SCHEMA } from '#database';

/**
 * Minimum retention of usage events in days. Events may be reported up to 90 days late. With this minimum, the
 * partition of a dropped month is never created again.
 */
export const MIN_RETENTION_DAYS = 97;

// Each row is written once and never updated. The first vacuum freezes it, so that later vacuums can skip its page.
const WRITTEN_ONCE = 'autovacuum_freeze_min_age = 0, autovacuum_vacuum_insert_scale_factor = 0.1';

/** Storage settings of insert-only tables. */
export const INSERT_ONLY = `with (${WRITTEN_ONCE})`;

/**
 * Creates the partitions of usage events by UTC month, from three months back to two ahead. Deletes data past the
 * retention: months that ended before it, and events of the default partition that were received before it. Rows of the
 * default partition move to their month's partition once it exists. The minimum retention applies to every caller.
 *
 * Events are deleted together with their keys and corrections. This is done by organization, because row-level security
 * also applies to the owner of the keys. It is done in chunks, because a month may have tens of millions of events. A
 * call ends after some seconds of deletions. An empty month is dropped. Returns the number of created or dropped
 * partitions and of deleted events. The caller repeats the call until no work is left.
 *
 * Runs as the tables' owner; no role has privileges on a partition, so rows can be accessed through the protected table
 * only. It waits for concurrent calls that create or drop partitions.
 */
export const KEEP_USAGE_PARTITIONS: readonly [signature: string, definition: string] = [
  'keep_usage_partitions(keep_days integer)',
  `returns bigint language plpgsql volatile security definer
   set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
   as $$
   declare
     this_month timestamp := date_trunc('month', ${SCHEMA}.now() at time zone 'UTC');
     kept_from timestamptz := ${SCHEMA}.now() - make_interval(days => ${atLeastFloor(`'usage'`, 'keep_days')});
     ends_at timestamptz := clock_timestamp() + interval '2 seconds';
     callers_org text := current_setting('governance.org_id', true);
     month timestamp; part text; first_at text; next_at text; old record; org uuid; removed bigint;
     is_empty boolean; changed bigint := 0;
   begin
     if keep_days is null or keep_days < ${MIN_RETENTION_DAYS} then
       raise exception 'keep_usage_partitions: keeps at least ${MIN_RETENTION_DAYS} days';
     end if;
     perform pg_advisory_xact_lock(hashtextextended('governance partitions', 0));

     for month in select generate_series(this_month - interval '3 months', this_month + interval '2 months', interval '1 month') loop
       part := 'usage_events_' || to_char(month, 'YYYYMM');
       continue when to_regclass(format('${SCHEMA}.%I', part)) is not null;
       first_at := to_char(month, 'YYYY-MM-DD') || ' 00:00:00+00';
       next_at := to_char(month + interval '1 month', 'YYYY-MM-DD') || ' 00:00:00+00';
       -- Readers and writers queue behind a waiting lock, so wait for a short time only.
       perform set_config('lock_timeout', '1s', true);
       -- Statements that know the partitions without the new one must have read their rows before rows move.
       lock table only ${SCHEMA}.usage_events in access exclusive mode;
       -- Wait for running writes to the default partition, so that no row is missed.
       lock table ${SCHEMA}.usage_events_default in access exclusive mode;
       execute format('create table ${SCHEMA}.%I (like ${SCHEMA}.usage_events including defaults including constraints including storage) ${INSERT_ONLY}', part);
       execute format('with moved as (delete from ${SCHEMA}.usage_events_default where occurred_at >= %L and occurred_at < %L returning *) insert into ${SCHEMA}.%I select * from moved',
         first_at, next_at, part);
       execute format('alter table ${SCHEMA}.usage_events attach partition ${SCHEMA}.%I for values from (%L) to (%L)', part, first_at, next_at);
       changed := changed + 1;
     end loop;
     -- Return, so that the locks end with the transaction. The caller calls again, and old rows are then deleted without them.
     if changed > 0 then return changed; end if;

     for old in
       select c.relname as part, 'true' as outdated from pg_inherits i join pg_class c on c.oid = i.inhrelid
       where i.inhparent = '${SCHEMA}.usage_events'::regclass and c.relname ~ '^usage_events_[0-9]{6}$'
         and (to_date(right(c.relname, 6), 'YYYYMM') + interval '1 month') at time zone 'UTC' <= kept_from
       union all select 'usage_events_default', 'received_at < ' || quote_literal(kept_from)
       order by 1
     loop
       is_empty := true;
       loop
         exit when clock_timestamp() > ends_at;
         execute format('select org_id from ${SCHEMA}.%I where %s limit 1', old.part, old.outdated) into org;
         exit when org is null;
         is_empty := false;
         perform set_config('governance.org_id', org::text, true);
         execute format('with gone as (delete from ${SCHEMA}.%1$I where ctid = any(array(
               select ctid from ${SCHEMA}.%1$I where org_id = $1 and %2$s limit 20000)) returning id),
             forgotten as (delete from ${SCHEMA}.usage_event_keys k using gone where k.org_id = $1 and k.id = gone.id),
             uncorrected as (delete from ${SCHEMA}.usage_adjustments a using gone where a.org_id = $1 and a.event_id = gone.id)
           select count(*) from gone', old.part, old.outdated) using org into removed;
         changed := changed + removed;
       end loop;
       -- The lock below must not be asked for while others may wait for keys that were deleted here.
       continue when old.part = 'usage_events_default' or not is_empty or changed > 0;
       -- A long reader may stand in the way: then it goes the next time. Nobody who writes usage waits for it for long.
       begin
         perform set_config('lock_timeout', '1s', true);
         lock table only ${SCHEMA}.usage_events in access exclusive mode;
         execute format('select org_id from ${SCHEMA}.%I limit 1', old.part) into org;
         if org is null then
           execute format('drop table ${SCHEMA}.%I', old.part);
           changed := changed + 1;
         end if;
       exception when lock_not_available then null;
       end;
     end loop;
     perform set_config('governance.org_id', coalesce(callers_org, ''), true);
     return changed;
   end
   $$`,
];
