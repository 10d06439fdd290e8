import { SCHEMA } from '#database';

// Functions instead of single statements: one round trip, plans that are kept, and rows that are found by their key
// one after the other, whatever the planner thinks of the tables. They work under the caller's rights and row-level
// security. Everybody locks in one order: reservations first, then windows in the order of their keys, which is the
// order of the arrays.

/** What is known of budgets has this version; whoever knows another one must look again. */
const BUDGETS_VERSION = `select coalesce(sum(m.version), 0) from ${SCHEMA}.change_marks m
  where m.org_id = org and m.topic in ('budgets', 'organization')`;

/** Reservations that one call gives back because they have expired; a few microseconds each. */
const SWEEP = 5_000;

const EXPIRED = `select r.id from ${SCHEMA}.reservations r where r.org_id = org and r.expires_at <= moment
  order by r.id`;

/**
 * Whether the oldest has expired. Ids of decisions grow with time and all are held equally long, so it is the first that
 * does; an index for expiry would cost every reservation a tenth of its time.
 */
const IS_OLDEST_EXPIRED = `coalesce((select r.expires_at <= moment from ${SCHEMA}.reservations r where r.org_id = org
  order by r.id limit 1), false)`;

/**
 * Reserves for several requests in one statement, in their order. `counter_*` are the distinct windows that they need,
 * in the order of their keys, with the sum of all that is asked of each; `sets` are, per request, the numbers of its
 * windows as an array literal, and null where each request needs all of them. With `sweep`, what has expired is given
 * back first.
 *
 * Answers JSON: `{"state": "done", "expires_at": ms, "refused": [request, window, …], "untold": [window, …]}`, all
 * numbers from 1; `refused` are pairs and missing where there are none; `untold` are refusing windows that have not
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
     fits boolean := true; taken boolean[]; is_taken boolean; refused integer[]; untold integer[] := '{}';
     counter integer; request integer;
   begin
     perform set_config('governance.org_id', org::text, true);
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
     -- Looked at when everything is locked: an amount that was changed while this waited has another version.
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
               untold := untold || counter;
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
       if refused is not null and not sweep and ${IS_OLDEST_EXPIRED} then
         return '{"state": "expired"}';
       end if;
     end if;
     for counter in 1 .. cardinality(counter_budgets) loop
       continue when added[counter] = 0;
       update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd + added[counter]
       where w.org_id = org and w.budget_id = counter_budgets[counter] and w.window_start = counter_starts[counter];
     end loop;
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
       'refused', refused, 'untold', untold)::text;
   end
   $$`,
];

/**
 * Adds what was spent to windows and takes what was held out of them; opens windows that are not there yet. Windows of
 * budgets that are gone are passed over. A correction never makes a window's spending negative: what it takes away may
 * have been counted elsewhere, and a block budget would let more through than its amount. Answers the thresholds that were reached for the first time.
 */
export const ADD_SPEND: readonly [signature: string, definition: string] = [
  `add_spend(org uuid, budgets uuid[], starts timestamptz[], ends timestamptz[], spent numeric[], released numeric[])`,
  `returns table (budget_id uuid, window_start timestamptz, window_end timestamptz, threshold numeric,
     spent_usd numeric, amount_usd numeric)
   language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   #variable_conflict use_column
   declare
     n integer; row_now record; limit_now numeric; is_open boolean;
   begin
     for n in 1 .. cardinality(budgets) loop
       for attempt in 1 .. 2 loop
         update ${SCHEMA}.budget_windows w
         set spent_usd = greatest(w.spent_usd + spent[n], 0), reserved_usd = w.reserved_usd - released[n]
         where w.org_id = org and w.budget_id = budgets[n] and w.window_start = starts[n]
         returning w.window_end, w.spent_usd, w.warned_at, w.exceeded_at into row_now;
         is_open := found;
         exit when is_open;
         insert into ${SCHEMA}.budget_windows (org_id, budget_id, window_start, window_end)
         select org, b.id, starts[n], ends[n]
         from ${SCHEMA}.budgets b where b.org_id = org and b.id = budgets[n] for key share
         on conflict do nothing;
       end loop;
       continue when not is_open;
       select b.amount_usd into limit_now from ${SCHEMA}.budgets b where b.org_id = org and b.id = budgets[n];
       continue when not found;
       budget_id := budgets[n]; window_start := starts[n]; window_end := row_now.window_end;
       spent_usd := row_now.spent_usd; amount_usd := limit_now;
       if row_now.warned_at is null and row_now.spent_usd >= limit_now * 0.8 then
         update ${SCHEMA}.budget_windows w set warned_at = ${SCHEMA}.now()
         where w.org_id = org and w.budget_id = budgets[n] and w.window_start = starts[n];
         threshold := 0.8;
         return next;
       end if;
       if row_now.exceeded_at is null and row_now.spent_usd >= limit_now then
         update ${SCHEMA}.budget_windows w set exceeded_at = ${SCHEMA}.now()
         where w.org_id = org and w.budget_id = budgets[n] and w.window_start = starts[n];
         threshold := 1;
         return next;
       end if;
     end loop;
   end
   $$`,
];

/**
 * Gives back what is held for some decisions and answers how much for each; those of which nothing is held are missing.
 */
export const RELEASE_RESERVATIONS: readonly [signature: string, definition: string] = [
  'release_reservations(org uuid, decisions uuid[])',
  `returns table (id uuid, amount_usd numeric)
   language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   #variable_conflict use_column
   declare
     part record;
   begin
     perform set_config('governance.org_id', org::text, true);
     for part in
       with gone as (
         delete from ${SCHEMA}.reservations r where r.org_id = org and r.id = any(decisions)
         returning r.id, r.amount_usd, r.budget_ids, r.window_starts)
       select g.id, g.amount_usd as amount, null::uuid as budget, null::timestamptz as start from gone g
       union all
       select null, sum(g.amount_usd), c.budget, c.start
       from gone g, unnest(g.budget_ids, g.window_starts) c(budget, start) group by c.budget, c.start
       order by budget nulls first, start
     loop
       if part.id is not null then
         id := part.id; amount_usd := part.amount;
         return next;
       else
         update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd - part.amount
         where w.org_id = org and w.budget_id = part.budget and w.window_start = part.start;
       end if;
     end loop;
   end
   $$`,
];

/** Gives back what is held for longer than it may be, at most so many reservations; answers how many there were. */
export const EXPIRE_RESERVATIONS: readonly [signature: string, definition: string] = [
  'expire_reservations(org uuid, most integer)',
  `returns integer language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now(); due uuid[]; given_back integer;
   begin
     perform set_config('governance.org_id', org::text, true);
     due := array(${EXPIRED} limit most for no key update skip locked);
     if cardinality(due) = 0 then return 0; end if;
     select count(*) into given_back from ${SCHEMA}.release_reservations(org, due);
     return given_back;
   end
   $$`,
];
