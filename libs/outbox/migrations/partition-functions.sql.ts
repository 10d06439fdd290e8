import { atLeastFloor, SCHEMA } from '#database';

/**
 * Creates the partitions of the next days, and drops partitions that are older than the retention. A partition begins
 * with the first UUID version 7 of its UTC day, and ends with that of the next day. If rows of a new partition's day
 * are in the default partition, they are moved; if they are too old, they are deleted. No caller can go below the
 * minimum retention of a table. The function runs as the owner of the tables. No role has grants on a partition, so
 * that rows are read only through the protected table.
 */
export const KEEP_PARTITIONS: readonly [signature: string, definition: string] = [
  'keep_partitions(tables text[], days_ahead integer, keep_days integer)',
  `returns integer language plpgsql volatile security definer
   set search_path = pg_catalog, pg_temp set lock_timeout = '5s'
   as $$
   declare
     today date := (${SCHEMA}.now() at time zone 'UTC')::date;
     name text; day date; part text; first_id uuid; next_id uuid; key_column text; old record; changed integer := 0;
     kept integer; floor_name text;
   begin
     if keep_days is null or keep_days < 1 or days_ahead is null or days_ahead < 0 or days_ahead > 366 then
       raise exception 'keep_partitions: keeps at least one day and makes at most 366';
     end if;
     perform pg_advisory_xact_lock(hashtextextended('governance partitions', 0));
     -- Readers and writers queue behind a waiting lock, so wait for a short time only.
     perform set_config('lock_timeout', '1s', true);
     foreach name in array tables loop
       floor_name := case name when 'decisions' then 'decisions' else 'events' end;
       kept := ${atLeastFloor('floor_name', 'keep_days')};
       select a.attname into strict key_column
       from pg_partitioned_table p join pg_attribute a on a.attrelid = p.partrelid and a.attnum = p.partattrs[0]
       where p.partrelid = format('${SCHEMA}.%I', name)::regclass;
       for day in select generate_series(today, today + days_ahead, interval '1 day')::date loop
         part := format('%s_%s', name, to_char(day, 'YYYYMMDD'));
         continue when to_regclass(format('${SCHEMA}.%I', part)) is not null;
         first_id := ${SCHEMA}.first_id_of(day);
         next_id := ${SCHEMA}.first_id_of(day + 1);
         -- Statements that know the partitions without the new one must have read their rows before rows move.
         execute format('lock table only ${SCHEMA}.%I in access exclusive mode', name);
         -- Wait for running writes to the default partition, so that no row is missed.
         execute format('lock table ${SCHEMA}.%I in access exclusive mode', name || '_default');
         execute format('create table ${SCHEMA}.%I (like ${SCHEMA}.%I including defaults including constraints including storage)', part, name);
         execute format('with moved as (delete from ${SCHEMA}.%I where %I >= %L and %I < %L returning *) insert into ${SCHEMA}.%I select * from moved',
           name || '_default', key_column, first_id, key_column, next_id, part);
         execute format('alter table ${SCHEMA}.%I attach partition ${SCHEMA}.%I for values from (%L) to (%L)', name, part, first_id, next_id);
         changed := changed + 1;
       end loop;
       for old in
         select c.relname as part from pg_inherits i join pg_class c on c.oid = i.inhrelid
         where i.inhparent = format('${SCHEMA}.%I', name)::regclass and c.relname ~ ('^' || name || '_[0-9]{8}$')
           and to_date(right(c.relname, 8), 'YYYYMMDD') < today - kept
       loop
         -- If a long read blocks the drop, the next run drops the partition. Earlier changes stay.
         begin
           execute format('drop table ${SCHEMA}.%I', old.part);
           changed := changed + 1;
         exception when lock_not_available then exit;
         end;
       end loop;
       execute format('delete from ${SCHEMA}.%I where %I < %L', name || '_default', key_column, ${SCHEMA}.first_id_of(today - kept));
     end loop;
     return changed;
   end
   $$`,
];

/** The smallest UUID version 7 of a UTC day. */
export const FIRST_ID_OF: readonly [signature: string, definition: string] = [
  'first_id_of(day date)',
  `returns uuid language sql immutable set search_path = pg_catalog, pg_temp
   as $$ select (lpad(to_hex((extract(epoch from day) * 1000)::bigint), 12, '0') || '70008000000000000000')::uuid $$`,
];
