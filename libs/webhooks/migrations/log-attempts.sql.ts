import { SCHEMA } from '#database';
import { LATENCY_BOUNDS_MS } from '../decide/index.js';

// One count per bucket of durations. An attempt whose end is unknown is in no bucket.
const BUCKET = `width_bucket(a.duration_ms, '{${LATENCY_BOUNDS_MS.join()}}'::integer[])`;
const LATENCIES = [...LATENCY_BOUNDS_MS, 'above']
  .map((_, at) => `count(*) filter (where ${BUCKET} = ${at})`)
  .join(', ');

/**
 * Writes attempts, counts them by the hour, and sets the status of their deliveries. The function runs with the rights
 * of the caller. It is a function so that PostgreSQL caches its plans. It locks rows of hours in one order, to avoid
 * deadlocks. It updates deliveries by key, separately per webhook and outcome. With a join, outdated statistics could
 * make the planner scan all rows of an organization.
 */
export const LOG_ATTEMPTS: readonly [signature: string, definition: string] = [
  `log_attempts(org uuid, ids uuid[], delivery_ids uuid[], webhook_ids uuid[], numbers integer[], triggers text[],
     starts timestamptz[], durations integer[], statuses integer[], bodies bytea[], truncated boolean[], errors text[],
     exchanged text[], are_logged boolean[], are_late boolean[], are_good boolean[], ends text[], ended_at timestamptz)`,
  `returns void language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = force_generic_plan
   as $$
   #variable_conflict use_column
   declare
     ended record;
   begin
     insert into ${SCHEMA}.webhook_attempts
       (org_id, id, delivery_id, webhook_id, number, trigger, started_at, duration_ms, http_status, response_body,
        response_truncated, error, headers)
     select log_attempts.org, a.id, a.delivery_id, a.webhook_id, a.number, a.trigger, a.started_at, a.duration_ms,
       a.status, a.body, a.truncated, a.error, a.headers
     from unnest(ids, delivery_ids, webhook_ids, numbers, triggers, starts, durations, statuses, bodies, truncated,
       errors, exchanged, are_logged) as a (id, delivery_id, webhook_id, number, trigger, started_at, duration_ms, status, body,
       truncated, error, headers, is_logged)
     where not a.is_logged;

     insert into ${SCHEMA}.webhook_hours as h
       (org_id, webhook_id, hour, attempts, succeeded, timeouts, duration_ms, latencies, last_success_at, last_failure_at)
     select log_attempts.org, a.webhook_id, date_trunc('hour', a.at, 'UTC'), count(*), count(*) filter (where a.good),
       count(*) filter (where a.late), coalesce(sum(a.duration_ms), 0), array[${LATENCIES}]::integer[],
       max(a.at) filter (where a.good), max(a.at) filter (where not a.good)
     from unnest(webhook_ids, starts, durations, are_good, are_late) as a (webhook_id, at, duration_ms, good, late)
     group by 2, 3 order by 2, 3
     on conflict (org_id, webhook_id, hour) do update set
       attempts = h.attempts + excluded.attempts, succeeded = h.succeeded + excluded.succeeded,
       timeouts = h.timeouts + excluded.timeouts, duration_ms = h.duration_ms + excluded.duration_ms,
       latencies = (
         select array_agg(coalesce(x.old, 0) + coalesce(x.new, 0) order by x.at)
         from unnest(h.latencies, excluded.latencies) with ordinality as x (old, new, at)),
       last_success_at = greatest(h.last_success_at, excluded.last_success_at),
       last_failure_at = greatest(h.last_failure_at, excluded.last_failure_at);

     for ended in
       select e.webhook_id, e.number, e.status, array_agg(e.id order by e.id) as ids
       from unnest(delivery_ids, webhook_ids, numbers, ends) as e (id, webhook_id, number, status)
       group by 1, 2, 3 order by 1, 2, 3
     loop
       update ${SCHEMA}.webhook_deliveries d
       set status = ended.status, attempts = ended.number,
         ended_at = case when ended.status <> 'pending' then log_attempts.ended_at end
       where d.org_id = log_attempts.org and d.webhook_id = ended.webhook_id and d.id = any (ended.ids);
     end loop;
   end
   $$`,
];
