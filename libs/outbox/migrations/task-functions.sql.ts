import { SCHEMA } from '#database';

/** A function's signature and its definition. */
type SqlFunction = readonly [signature: string, definition: string];

// A table that is empty one moment and full the next has no statistics to plan by: the indexes are right in every case.
const BY_INDEX =
  'set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set plan_cache_mode = force_generic_plan';

/**
 * A lease of the given milliseconds, at most ten minutes: the functions reach tasks of every organization, and no caller
 * may keep those from work for long.
 */
const LEASE = `least(lease_ms, 600000) * interval '1 millisecond'`;

/** The first task of every key of a queue, found by jumping from key to key in the index, however many tasks wait. */
const HEADS = (queue: string) => `
  (select t.key, t.due_at from ${SCHEMA}.tasks t
    where t.queue = ${queue} and t.quarantined_at is null order by t.key, t.due_at limit 1)
  union all
  select n.key, n.due_at from heads h cross join lateral (
    select t.key, t.due_at from ${SCHEMA}.tasks t
    where t.queue = ${queue} and t.quarantined_at is null and t.key > h.key order by t.key, t.due_at limit 1) n`;

/**
 * Claims what is due, the longest due first: at most `want` tasks, and of one key at most its free slots. The lease is
 * the due time itself, moved past the lease's end: a task whose worker died becomes due again by itself. Where all that
 * is due is in the hands of other workers at this moment, a row of nulls says so: what they leave is to be had at once.
 * `cut_short`: more keys than were looked at may have something that is due.
 */
export const CLAIM_TASKS: SqlFunction = [
  'claim_tasks(the_queue text, want integer, free_of_others integer, free_of jsonb, lease_ms integer)',
  // The moment is a value, not a call: it bounds the search in the index, so that tasks of later are not looked at.
  // Rows that are locked stay where they are, and are updated there: by no index, whatever the planner knows.
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
 * Milliseconds until the next task of each queue; a queue without one is missing. What has become due within the last
 * tenth of a second counts too, with a time below zero: the claim before this look may have been too early for it.
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
 * Leases that still hold. Whoever takes several tasks locks them in the order of their ids before it writes any: two who
 * take some of the same would otherwise wait for one another. Claims, which wait for nobody, need not.
 */
const HELD = (leases: string) => `
   held as (
     select t.org_id, t.id, l.* from ${leases} join ${SCHEMA}.tasks t
       on t.org_id = l.lease_org and t.id = l.lease_id and t.lease_token = l.token
     order by t.org_id, t.id for update of t)`;

/** Prolongs leases, and says which of them still held. */
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

/** How many tasks of each queue are dead-lettered, with the error of the oldest. For operators. */
export const QUARANTINED_TASKS: SqlFunction = [
  'quarantined_tasks()',
  `returns table (queue text, count bigint, oldest_fault text)
   language sql stable security definer set search_path = pg_catalog, pg_temp
   as $$
   select t.queue, count(*), (array_agg(t.fault order by t.quarantined_at))[1] from ${SCHEMA}.tasks t
   where t.quarantined_at is not null group by t.queue order by t.queue
   $$`,
];

/** How far each queue has fallen behind: due tasks, the age of the oldest in seconds, and dead letters. */
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

/** Where tasks are dead-lettered. */
export const QUEUES_WITH_DEAD_LETTERS: SqlFunction = [
  'queues_with_dead_letters()',
  `returns table (org_id uuid, queue text)
   language sql stable security definer set search_path = pg_catalog, pg_temp
   as $$ select distinct t.org_id, t.queue from ${SCHEMA}.tasks t where t.quarantined_at is not null order by 1, 2 $$`,
];

/**
 * Ends tasks, or sets their next time, where their lease still holds: one that another worker has taken over is not
 * held, and nothing is written for it. Returns the ids of those that were held. In the rights of the caller, and a
 * function only so that its plans are kept.
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
     -- Tasks that were claimed together carry one token, and most of them are over: few statements, and no join.
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

/** Gives up leases of tasks that were claimed and not begun: they are due as they were, which is no later than now. */
export const RELEASE_TASKS: SqlFunction = [
  'release_tasks(orgs uuid[], ids uuid[], tokens uuid[], dues timestamptz[])',
  `returns void language sql volatile security definer set search_path = pg_catalog, pg_temp
   as $$
   with ${HELD('unnest(orgs, ids, tokens, dues) as l (lease_org, lease_id, token, due)')}
   update ${SCHEMA}.tasks t set due_at = least(h.due, ${SCHEMA}.now()), lease_token = null
   from held h where t.org_id = h.org_id and t.id = h.id
   $$`,
];
