import { SCHEMA } from '#database';

/** Signature and definition of a function. */
type SqlFunction = readonly [signature: string, definition: string];

// The table may be empty and full within a moment, so the planner's statistics are unreliable. Plans with indexes are
// always fast.
const BY_INDEX =
  'set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan';

/**
 * The length of a lease, at most ten minutes. These functions change tasks of all organizations, so no caller may block
 * tasks for longer.
 */
const LEASE = `least(lease_ms, 600000) * interval '1 millisecond'`;

/**
 * The first task of every key of a queue. A skip scan of the index finds them; its cost does not depend on the number
 * of waiting tasks.
 */
const HEADS = (queue: string) => `
  (select t.key, t.due_at from ${SCHEMA}.tasks t
    where t.queue = ${queue} and t.quarantined_at is null order by t.key, t.due_at limit 1)
  union all
  select n.key, n.due_at from heads h cross join lateral (
    select t.key, t.due_at from ${SCHEMA}.tasks t
    where t.queue = ${queue} and t.quarantined_at is null and t.key > h.key order by t.key, t.due_at limit 1) n`;

/**
 * Claims due tasks in the order of their due times: at most `want` tasks, and for each key at most the number of its
 * free slots. A lease is stored as a due time in the future. If a worker crashes, its task therefore becomes due again
 * without further action. If other workers have locked all due tasks at this moment, the result is a row of nulls:
 * claim again soon. `cut_short`: some keys were not examined and may have due tasks.
 */
export const CLAIM_TASKS: SqlFunction = [
  'claim_tasks(the_queue text, want integer, free_of_others integer, free_of jsonb, lease_ms integer)',
  // The current time is a value, not a function call. It therefore bounds the index scan, so that later tasks are not
  // read. Locked rows cannot move, so they are updated by ctid, without an index.
  `returns table (org_id uuid, id uuid, key text, attempt integer, interruptions integer, interrupted_at timestamptz,
     subject jsonb, lease_token uuid, was_due timestamptz, cut_short boolean)
   language plpgsql volatile security definer ${BY_INDEX} set enable_hashjoin = off set enable_mergejoin = off
   as $$
   #variable_conflict use_column
   declare
     moment timestamptz := ${SCHEMA}.now();
     lease interval := ${LEASE};
     token uuid := gen_random_uuid();
   begin
     return query
     with recursive heads as (${HEADS('the_queue')}),
     open_keys as (
       select h.key, f.free, h.due_at
       from heads h cross join lateral (
         select coalesce((free_of ->> h.key)::integer, free_of_others) as free offset 0) f
       where h.due_at <= moment and f.free > 0
         and not exists (select from ${SCHEMA}.task_holds x where x.queue = the_queue and x.key = h.key)
       order by h.due_at limit want),
     picked as materialized (
       select t.place, t.due_at
       from open_keys k cross join lateral (
         select t.ctid as place, t.due_at from ${SCHEMA}.tasks t
         where t.queue = the_queue and t.key = k.key and t.quarantined_at is null and t.due_at <= moment
         order by t.due_at limit k.free for update skip locked) t
       order by t.due_at limit want),
     claimed as (
       update ${SCHEMA}.tasks t
       set due_at = moment + lease, lease_token = token,
         interruptions = t.interruptions + (t.lease_token is not null)::integer,
         interrupted_at = case when t.lease_token is not null then t.due_at - lease else t.interrupted_at end
       from picked p where t.ctid = p.place
       returning t.org_id, t.id, t.key, t.attempt, t.interruptions, t.interrupted_at, t.subject, t.lease_token,
         p.due_at as was_due)
     select c.org_id, c.id, c.key, c.attempt, c.interruptions, c.interrupted_at, c.subject, c.lease_token,
       c.was_due, (select count(*) >= want from open_keys)
     from claimed c order by c.was_due;
     if not found and exists (
       with recursive heads as (${HEADS('the_queue')})
       select from heads h
       where h.due_at <= moment and coalesce((free_of ->> h.key)::integer, free_of_others) > 0
         and not exists (select from ${SCHEMA}.task_holds x where x.queue = the_queue and x.key = h.key))
     then
       return query
       select null::uuid, null::uuid, null::text, null::integer, null::integer, null::timestamptz, null::jsonb,
         null::uuid, null::timestamptz, false;
     end if;
   end
   $$`,
];

/**
 * Milliseconds until the next task of each queue becomes due. Queues without a task are omitted. Tasks that became due
 * within the last tenth of a second are included, with a negative time, because the preceding claim may have missed
 * them.
 */
export const NEXT_TASKS: SqlFunction = [
  'next_tasks(queues text[])',
  `returns table (queue text, in_ms double precision)
   language plpgsql volatile security definer ${BY_INDEX}
   as $$
   #variable_conflict use_column
   declare
     moment timestamptz := ${SCHEMA}.now();
   begin
     return query
     select l.queue, n.in_ms from unnest(queues) as l (queue) cross join lateral (
       with recursive heads as (${HEADS('l.queue')})
       select (extract(epoch from min(h.due_at) - moment) * 1000)::double precision as in_ms from heads h
       where h.due_at > moment - interval '100 milliseconds' and h.due_at < 'infinity') n
     where n.in_ms is not null;
   end
   $$`,
];

/**
 * The tasks whose lease is still valid. A statement that changes several tasks first locks them in the order of their
 * ids, to avoid deadlocks. Claims skip locked rows and need no order.
 */
const HELD = (leases: string) => `
   held as (
     select t.org_id, t.id, l.* from ${leases} join ${SCHEMA}.tasks t
       on t.org_id = l.lease_org and t.id = l.lease_id and t.lease_token = l.token
     order by t.org_id, t.id for update of t)`;

/** Renews leases. Returns the tasks whose lease was still valid. */
export const RENEW_TASKS: SqlFunction = [
  'renew_tasks(orgs uuid[], ids uuid[], tokens uuid[], lease_ms integer)',
  `returns table (id uuid) language sql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   with ${HELD('unnest(orgs, ids, tokens) as l (lease_org, lease_id, token)')}
   update ${SCHEMA}.tasks t set due_at = ${SCHEMA}.now() + ${LEASE}
   from held h where t.org_id = h.org_id and t.id = h.id
   returning t.id
   $$`,
];

/** For operators: the number of dead-lettered tasks of each queue, with the error of the oldest one. */
export const QUARANTINED_TASKS: SqlFunction = [
  'quarantined_tasks()',
  `returns table (queue text, count bigint, oldest_fault text)
   language sql stable security definer set search_path = pg_catalog, pg_temp
   as $$
   select t.queue, count(*), (array_agg(t.fault order by t.quarantined_at))[1] from ${SCHEMA}.tasks t
   where t.quarantined_at is not null group by t.queue order by t.queue
   $$`,
];

/**
 * The backlog of each queue: the number of due tasks, the age of the oldest due task in seconds, and the number of dead
 * letters.
 */
export const TASK_BACKLOG: SqlFunction = [
  'task_backlog()',
  `returns table (queue text, waiting bigint, oldest_seconds double precision, dead bigint)
   language sql stable security definer set search_path = pg_catalog, pg_temp
   as $$
   with moment as materialized (select ${SCHEMA}.now() as at)
   select t.queue, count(*) filter (where t.quarantined_at is null),
     coalesce(extract(epoch from min(m.at) - min(t.due_at) filter (where t.quarantined_at is null)), 0)::float8,
     count(t.quarantined_at)
   from ${SCHEMA}.tasks t cross join moment m
   where t.quarantined_at is not null or t.due_at <= m.at
   group by t.queue order by t.queue
   $$`,
];

/** The organizations and queues with dead-lettered tasks. */
export const QUEUES_WITH_DEAD_LETTERS: SqlFunction = [
  'queues_with_dead_letters()',
  `returns table (org_id uuid, queue text)
   language sql stable security definer set search_path = pg_catalog, pg_temp
   as $$ select distinct t.org_id, t.queue from ${SCHEMA}.tasks t where t.quarantined_at is not null order by 1, 2 $$`,
];

/**
 * Ends tasks or sets their next due time, if their lease is still valid. If another worker has claimed a task in the
 * meantime, nothing is written for that task. Returns the ids of the tasks whose lease was valid. The function runs
 * with the rights of the caller; it exists only so that its plans are cached.
 */
export const END_TASKS: SqlFunction = [
  'end_tasks(org uuid, ids uuid[], tokens uuid[], again_after_ms double precision[], subjects jsonb[])',
  `returns setof uuid language plpgsql volatile ${BY_INDEX}
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now();
     ended record;
   begin
     if cardinality(ids) > 1 then
       perform from ${SCHEMA}.tasks t
       where t.org_id = org and t.id = any (ids) and t.lease_token = any (tokens) order by t.id for update;
     end if;
     -- Tasks of one claim share a token, and most of them end, so a few statements without a join suffice.
     for ended in
       select e.token, array_agg(e.id order by e.id) as ids
       from unnest(ids, tokens, again_after_ms) as e (id, token, after_ms) where e.after_ms is null group by 1 order by 1
     loop
       return query
       delete from ${SCHEMA}.tasks t where t.org_id = org and t.id = any (ended.ids) and t.lease_token = ended.token
       returning t.id;
     end loop;
     for at in 1 .. cardinality(ids) loop
       continue when again_after_ms[at] is null;
       return query
       update ${SCHEMA}.tasks t
       set due_at = moment + again_after_ms[at] * interval '1 millisecond', attempt = t.attempt + 1,
         lease_token = null, interruptions = 0, interrupted_at = null, faults = 0, fault = null,
         subject = coalesce(subjects[at], t.subject)
       where t.org_id = org and t.id = ids[at] and t.lease_token = tokens[at]
       returning t.id;
     end loop;
   end
   $$`,
];

/** Releases leases of tasks that were not started. The tasks get their former due time, which is in the past. */
export const RELEASE_TASKS: SqlFunction = [
  'release_tasks(orgs uuid[], ids uuid[], tokens uuid[], dues timestamptz[])',
  `returns void language sql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   with ${HELD('unnest(orgs, ids, tokens, dues) as l (lease_org, lease_id, token, due)')}
   update ${SCHEMA}.tasks t set due_at = least(h.due, ${SCHEMA}.now()), lease_token = null
   from held h where t.org_id = h.org_id and t.id = h.id
   $$`,
];
