import { SCHEMA } from '#database';

/** A function's signature and its definition. */
type SqlFunction = readonly [signature: string, definition: string];

// A table that is empty one moment and full the next has no statistics to plan by: the indexes are right in every case.
const BY_INDEX =
  'set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_hashjoin = off set enable_mergejoin = off';

/** The first task of every key of a lane, found by jumping from key to key in the index, however many tasks wait. */
const HEADS = (lane: string) => `
  (select t.key, t.due_at from ${SCHEMA}.tasks t
    where t.lane = ${lane} and t.quarantined_at is null order by t.key, t.due_at limit 1)
  union all
  select n.key, n.due_at from heads h cross join lateral (
    select t.key, t.due_at from ${SCHEMA}.tasks t
    where t.lane = ${lane} and t.quarantined_at is null and t.key > h.key order by t.key, t.due_at limit 1) n`;

/**
 * Claims what is due, the longest due first: at most `want` tasks, and of one key at most its free slots. The lease is
 * the due time itself, moved past the lease's end: a task whose worker died becomes due again by itself. Where all that
 * is due is in the hands of other workers at this moment, a row of nulls says so: what they leave is to be had at once.
 */
export const CLAIM_TASKS: SqlFunction = [
  'claim_tasks(the_lane text, want integer, free_of_others integer, keys text[], free_of_keys integer[], lease_ms integer)',
  // The moment is a value, not a call: it bounds the search in the index, so that tasks of later are not looked at.
  `returns table (org_id uuid, id uuid, key text, attempt integer, interruptions integer, interrupted_at timestamptz,
     subject jsonb, lease_token uuid)
   language plpgsql volatile security definer ${BY_INDEX}
   as $$
   #variable_conflict use_column
   declare
     moment timestamptz := ${SCHEMA}.now();
     lease interval := lease_ms * interval '1 millisecond';
   begin
   return query
   with recursive heads as (${HEADS('the_lane')}),
   open_keys as (
     select h.key, coalesce(f.free, free_of_others) as free, h.due_at
     from heads h left join unnest(keys, free_of_keys) as f (key, free) on f.key = h.key
     where h.due_at <= moment and coalesce(f.free, free_of_others) > 0
       and not exists (select from ${SCHEMA}.task_holds x where x.lane = the_lane and x.key = h.key)
     order by h.due_at limit want),
   picked as (
     select t.org_id, t.id, t.due_at, t.lease_token as old_token
     from open_keys k cross join lateral (
       select t.org_id, t.id, t.due_at, t.lease_token from ${SCHEMA}.tasks t
       where t.lane = the_lane and t.key = k.key and t.quarantined_at is null and t.due_at <= moment
       order by t.due_at limit k.free for update skip locked) t
     order by t.due_at limit want),
   claimed as (
     update ${SCHEMA}.tasks t
     set due_at = moment + lease,
         lease_token = gen_random_uuid(),
         interruptions = t.interruptions + (p.old_token is not null)::integer
     from picked p where t.org_id = p.org_id and t.id = p.id
     returning t.org_id, t.id, t.key, t.attempt, t.interruptions,
       case when p.old_token is not null then p.due_at - lease end as interrupted_at,
       t.subject, t.lease_token, p.due_at as was_due)
   (select c.org_id, c.id, c.key, c.attempt, c.interruptions, c.interrupted_at, c.subject, c.lease_token
    from claimed c order by c.was_due)
   union all
   select null, null, null, null, null, null, null, null
   where exists (select from open_keys) and not exists (select from claimed);
   end
   $$`,
];

/** Milliseconds until the next task of each lane that is not due yet; a lane without one is missing. */
export const NEXT_TASKS: SqlFunction = [
  'next_tasks(lanes text[])',
  `returns table (lane text, in_ms double precision)
   language sql volatile security definer ${BY_INDEX}
   as $$
   select l.lane, n.in_ms from unnest(lanes) as l (lane) cross join lateral (
     with recursive heads as (${HEADS('l.lane')})
     select extract(epoch from min(h.due_at) - ${SCHEMA}.now()) * 1000 as in_ms from heads h
     where h.due_at > ${SCHEMA}.now() and h.due_at < 'infinity') n
   where n.in_ms is not null
   $$`,
];

/** Prolongs leases, and says which of them still held. */
export const RENEW_TASKS: SqlFunction = [
  'renew_tasks(orgs uuid[], ids uuid[], tokens uuid[], lease_ms integer)',
  `returns table (token uuid) language sql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() + lease_ms * interval '1 millisecond'
   from unnest(orgs, ids, tokens) as l (org_id, id, token)
   where t.org_id = l.org_id and t.id = l.id and t.lease_token = l.token
   returning t.lease_token
   $$`,
];

/** How many tasks of each lane are put aside, and the fault of the one that was first. For people who operate. */
export const QUARANTINED_TASKS: SqlFunction = [
  'quarantined_tasks()',
  `returns table (lane text, count bigint, oldest_fault text)
   language sql stable security definer set search_path = pg_catalog, pg_temp
   as $$
   select t.lane, count(*), (array_agg(t.fault order by t.quarantined_at))[1] from ${SCHEMA}.tasks t
   where t.quarantined_at is not null group by t.lane order by t.lane
   $$`,
];
