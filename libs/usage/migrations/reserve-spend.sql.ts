import { SCHEMA } from '#database';
import { EXPIRED } from './budget-functions.sql.js';

/** What is known of budgets has this version; whoever knows another one must look again. */
const BUDGETS_VERSION = `select coalesce(sum(m.version), 0) from ${SCHEMA}.change_marks m
  where m.org_id = org and m.topic in ('budgets', 'organization')`;

/** Reservations that one call gives back because they have expired; a few microseconds each. */
const SWEEP = 5_000;

/**
 * Whether one has expired. Ids of decisions grow with time and all are held equally long unless they were extended, so
 * the oldest of those that were not is the first that expires; an index for expiry would cost every reservation a tenth
 * of its time. Those that were extended are few and have an index of their own.
 */
const IS_ONE_EXPIRED = `(coalesce((select r.expires_at <= moment from ${SCHEMA}.reservations r where r.org_id = org
  and r.extended_at is null order by r.id limit 1), false) or exists (select from ${SCHEMA}.reservations r
  where r.org_id = org and r.extended_at is not null and r.expires_at <= moment))`;

/**
 * Reserves for several requests in one statement, in their order. `counter_*` are the distinct windows that they need,
 * in the order of their keys, with the sum of all that is asked of each; `sets` are, per request, the numbers of its
 * windows as an array literal, and null where each request needs all of them. With `sweep`, what has expired is given
 * back first.
 *
 * Answers JSON: `{"state": "done", "expires_at": ms, "refused": [request, window, …], "unreported": [window, …]}`, all
 * numbers from 1; `refused` are pairs and missing where there are none; `unreported` are refusing windows that have not
 * been told of as exceeded, and of which four fifths were spent or held. `{"state": "stale"}` where budgets have changed; `{"state": "expired"}` where there is too
 * little room, but reservations are due to be given back first. Nothing is reserved then.
 */
export const RESERVE_SPEND: readonly [signature: string, definition: string] = [
  `reserve_spend(org uuid, known_version bigint, valid_for interval, sweep boolean,
     counter_budgets uuid[], counter_starts timestamptz[], counter_ends timestamptz[], counter_totals numeric[],
     ids uuid[], amounts numeric[], sets text[], users text[], providers text[], models text[])`,
  `returns text language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now();
     expiry timestamptz := moment + valid_for;
     due uuid[]; is_open boolean;
     used numeric[]; limits numeric[]; told boolean[]; added numeric[]; own integer[];
     used_now numeric; limit_now numeric; is_told boolean; amount numeric;
     fits boolean := true; taken boolean[]; is_taken boolean; refused integer[]; unreported integer[] := '{}';
     counter integer; request integer; passed integer := 0; is_done boolean := false;
   begin
     perform set_config('governance.org_id', org::text, true);
     if not sweep then
       -- Mostly there is room for everything; then each window is met once. Where the limit is reached exactly, somebody
       -- in between may have met it.
       for counter in 1 .. cardinality(counter_budgets) loop
         update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd + counter_totals[counter]
         from ${SCHEMA}.budgets b
         where w.org_id = org and w.budget_id = counter_budgets[counter] and w.window_start = counter_starts[counter]
           and b.org_id = org and b.id = counter_budgets[counter]
           and w.spent_usd + w.reserved_usd + counter_totals[counter] < b.amount_usd;
         exit when not found;
         passed := counter;
       end loop;
       -- Looked at when everything is locked: an amount that was changed while this waited has another version.
       is_done := passed = cardinality(counter_budgets) and known_version = (${BUDGETS_VERSION});
       if not is_done then
         for counter in 1 .. passed loop
           update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd - counter_totals[counter]
           where w.org_id = org and w.budget_id = counter_budgets[counter] and w.window_start = counter_starts[counter];
         end loop;
       end if;
     end if;
     if not is_done then
       if sweep then
         due := array(${EXPIRED} limit ${SWEEP} for no key update skip locked);
         if cardinality(due) > 0 then
           perform from ${SCHEMA}.budget_windows w
           where w.org_id = org and (w.budget_id, w.window_start) in (
             select * from unnest(counter_budgets, counter_starts)
             union all select c.* from ${SCHEMA}.reservations r, unnest(r.budget_ids, r.window_starts) c
             where r.org_id = org and r.id = any(due))
           order by w.budget_id, w.window_start for no key update;
           perform from ${SCHEMA}.release_reservations(org, due);
         end if;
         if cardinality(due) = ${SWEEP} then return '{"state": "expired"}'; end if;
       end if;
       for counter in 1 .. cardinality(counter_budgets) loop
         for attempt in 1 .. 2 loop
           select w.spent_usd + w.reserved_usd, b.amount_usd, w.exceeded_at is not null
           into used_now, limit_now, is_told
           from ${SCHEMA}.budget_windows w join ${SCHEMA}.budgets b on b.org_id = w.org_id and b.id = w.budget_id
           where w.org_id = org and w.budget_id = counter_budgets[counter] and w.window_start = counter_starts[counter]
           for no key update of w;
           is_open := found;
           exit when is_open;
           if known_version <> (${BUDGETS_VERSION}) then return '{"state": "stale"}'; end if;
           insert into ${SCHEMA}.budget_windows (org_id, budget_id, window_start, window_end)
           select org, b.id, counter_starts[counter], counter_ends[counter]
           from ${SCHEMA}.budgets b where b.org_id = org and b.id = counter_budgets[counter] for key share
           on conflict do nothing;
         end loop;
         if not is_open then return '{"state": "stale"}'; end if;
         used[counter] := used_now; limits[counter] := limit_now; told[counter] := is_told;
         -- Where the limit is reached exactly, somebody in between may have met it.
         fits := fits and used_now + counter_totals[counter] < limit_now;
       end loop;
       -- Again when everything is locked.
       if known_version <> (${BUDGETS_VERSION}) then return '{"state": "stale"}'; end if;
       if fits then
         added := counter_totals;
       else
         added := array_fill(0::numeric, array[cardinality(counter_budgets)]);
         own := array(select generate_series(1, cardinality(counter_budgets)));
         for request in 1 .. cardinality(ids) loop
           if sets is not null then own := sets[request]::integer[]; end if;
           amount := amounts[request];
           is_taken := true;
           foreach counter in array own loop
             if used[counter] >= limits[counter] or used[counter] + amount > limits[counter] then
               is_taken := false;
               refused := refused || request || counter;
               -- One request that asks for more than there is says nothing of a budget that is hardly used.
               if not told[counter] and used[counter] >= limits[counter] * 0.8 then
                 told[counter] := true;
                 unreported := unreported || counter;
               end if;
             end if;
           end loop;
           taken[request] := is_taken;
           continue when not is_taken;
           foreach counter in array own loop
             used[counter] := used[counter] + amount;
             added[counter] := added[counter] + amount;
           end loop;
         end loop;
         if refused is not null and not sweep and ${IS_ONE_EXPIRED} then
           return '{"state": "expired"}';
         end if;
       end if;
       for counter in 1 .. cardinality(counter_budgets) loop
         continue when added[counter] = 0;
         update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd + added[counter]
         where w.org_id = org and w.budget_id = counter_budgets[counter] and w.window_start = counter_starts[counter];
       end loop;
     end if;
     if sets is null and refused is null then
       insert into ${SCHEMA}.reservations
         (org_id, id, amount_usd, budget_ids, window_starts, user_id, provider, model, created_at, expires_at)
       select org, r.*, moment, expiry from (
         select r.id, r.amount, counter_budgets, counter_starts, r.user_id, r.provider, r.model
         from unnest(ids, amounts, users, providers, models) r(id, amount, user_id, provider, model)) r;
     else
       insert into ${SCHEMA}.reservations
         (org_id, id, amount_usd, budget_ids, window_starts, user_id, provider, model, created_at, expires_at)
       select org, r.id, r.amount,
         case when sets is null then counter_budgets
           else array(select counter_budgets[k] from unnest(r.own::integer[]) k) end,
         case when sets is null then counter_starts
           else array(select counter_starts[k] from unnest(r.own::integer[]) k) end,
         r.user_id, r.provider, r.model, moment, expiry
       from unnest(ids, amounts, sets, users, providers, models) with ordinality
         r(id, amount, own, user_id, provider, model, n)
       where taken is null or taken[r.n];
     end if;
     return jsonb_build_object('state', 'done', 'expires_at', floor(extract(epoch from expiry) * 1000),
       'refused', refused, 'unreported', unreported)::text;
   end
   $$`,
];
