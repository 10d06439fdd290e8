import { SCHEMA } from '#database';
import { amountOf, EXPIRED, KEY, opening, WINDOWS_OF } from './budget-functions.sql.js';

/**
 * The current version of budgets. If it differs from the caller's version, the caller must reload its cached budgets.
 */
export const BUDGETS_VERSION = `select coalesce(sum(m.version), 0) from ${SCHEMA}.change_marks m
  where m.org_id = org and m.topic in ('budgets', 'organization')`;

/** Maximum number of expired reservations that one call releases. Each release takes a few microseconds. */
const SWEEP = 5_000;

/** Maximum number of windows that are updated one by one. For more windows, one statement for all is faster. */
const FEW = 3;

/**
 * Whether at least one reservation has expired. Ids of decisions grow with time, and all reservations have the same
 * term unless they were extended. Therefore, the reservation with the lowest id among those that were not extended
 * expires first. An index on the expiry would make every reservation a tenth slower. Extended reservations are few and
 * have their own index.
 */
const IS_ONE_EXPIRED = `(coalesce((select r.expires_at <= moment from ${SCHEMA}.reservations r where r.org_id = org
  and r.extended_at is null order by r.id limit 1), false) or exists (select from ${SCHEMA}.reservations r
  where r.org_id = org and r.extended_at is not null and r.expires_at <= moment))`;

/**
 * Locks all windows in the order of their keys and reads them. The `limit` in the lateral subquery keeps this order in
 * every plan.
 */
const LOCK_ALL = `
  select array_agg(l.used order by c.n), array_agg(l.most order by c.n), array_agg(l.is_told order by c.n),
    count(l.used), coalesce(bool_and(l.used + c.total < l.most), false)
  into used, limits, told, opened, fits
  from unnest(budgets, starts, parts, totals) with ordinality c(budget, start, part, total, n)
  left join lateral (
    select w.spent_usd + w.reserved_usd as used, ${amountOf('c.part')} as most,
      w.exceeded_at is not null as is_told
    from ${SCHEMA}.budget_windows w join ${SCHEMA}.budgets b on b.org_id = w.org_id and b.id = w.budget_id
    where w.org_id = org and w.budget_id = c.budget and w.window_start = c.start and w.part = c.part
    limit 1 for no key update of w) l on true`;

/**
 * Reserves for several requests in one statement, in their order. `budgets`, `starts` and `parts` are the distinct
 * windows that they need, in the order of their keys, with the total requested in each. `parts_or_null` is null if no
 * budget is split. `sets` has, per request, the numbers of its windows as an array literal; it is null if each request
 * needs all of them. `abouts` has the other fields that requests name, besides the person and the model; it is null if
 * there are none. With `sweep`, expired reservations are released first.
 * Returns JSON: `{"state": "done", "expires_at": ms, "refused": [request, window, …], "unreported": [window, …]}`. All
 * numbers start at 1. `refused` has pairs, and is missing if there are none. `unreported` has refusing windows without
 * an alert of exceeded spending, of which four fifths were spent or reserved. `{"state": "stale"}`: budgets have
 * changed. `{"state": "expired"}`: there is not enough room, but expired reservations must be released first. Nothing
 * is reserved in these two cases.
 */
export const RESERVE_SPEND: readonly [signature: string, definition: string] = [
  `reserve_spend(org uuid, known_version bigint, valid_for interval, sweep boolean,
     budgets uuid[], starts timestamptz[], parts_or_null text[], ends timestamptz[], totals numeric[],
     ids uuid[], amounts numeric[], sets text[], users text[], providers text[], models text[], abouts text[])`,
  `returns text language plpgsql volatile set search_path = pg_catalog, pg_temp
   set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now();
     expiry timestamptz := moment + valid_for;
     due uuid[]; opened integer; many integer := cardinality(budgets);
     parts text[] := coalesce(parts_or_null, array_fill(''::text, array[cardinality(budgets)]));
     used numeric[]; limits numeric[]; told boolean[]; added numeric[]; own integer[]; amount numeric;
     fits boolean := true; taken boolean[]; is_taken boolean; refused integer[]; unreported integer[] := '{}';
     counter integer; request integer; passed integer := 0; is_done boolean := false;
   begin
     perform set_config('governance.org_id', org::text, true);
     if not sweep and many <= ${FEW} then
       -- Mostly there is room for everything; then each window is met once. Where the limit is reached exactly, somebody
       -- in between may have met it.
       for counter in 1 .. many loop
         update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd + totals[counter]
         from ${SCHEMA}.budgets b
         where ${KEY('counter')} and b.org_id = org and b.id = budgets[counter]
           and w.spent_usd + w.reserved_usd + totals[counter] < ${amountOf('parts[counter]')};
         exit when not found;
         passed := counter;
       end loop;
       -- Looked at when everything is locked: an amount that was changed while this waited has another version.
       is_done := passed = many and known_version = (${BUDGETS_VERSION});
       if not is_done then
         for counter in 1 .. passed loop
           update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd - totals[counter] where ${KEY('counter')};
         end loop;
       end if;
     end if;
     if not is_done then
       if sweep then
         due := array(${EXPIRED} limit ${SWEEP} for no key update skip locked);
         if cardinality(due) > 0 then
           perform from ${SCHEMA}.budget_windows w
           where w.org_id = org and (w.budget_id, w.window_start, w.part) in (
             select * from unnest(budgets, starts, parts)
             union all select c.budget, c.start, coalesce(c.part, '')
             from ${SCHEMA}.reservations r, ${WINDOWS_OF('r')} where r.org_id = org and r.id = any(due))
           order by w.budget_id, w.window_start, w.part for no key update;
           perform from ${SCHEMA}.release_reservations(org, due);
         end if;
         if cardinality(due) = ${SWEEP} then return '{"state": "expired"}'; end if;
       end if;
       ${LOCK_ALL};
       if opened < many then
         if known_version <> (${BUDGETS_VERSION}) then return '{"state": "stale"}'; end if;
         ${opening(`(select u.* from unnest(budgets, starts, parts, ends, used) with ordinality
           u(budget, start, part, until, known, n) where u.known is null) c`)};
         ${LOCK_ALL};
         if opened < many then return '{"state": "stale"}'; end if;
       end if;
       -- Again when everything is locked.
       if known_version <> (${BUDGETS_VERSION}) then return '{"state": "stale"}'; end if;
       if fits then
         added := totals;
       else
         added := array_fill(0::numeric, array[many]);
         own := array(select generate_series(1, many));
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
       -- All of them are locked: their order no longer matters.
       update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd + c.amount
       from unnest(budgets, starts, parts, added) c(budget, start, part, amount)
       where w.org_id = org and w.budget_id = c.budget and w.window_start = c.start and w.part = c.part and c.amount <> 0;
     end if;
     if sets is null and refused is null then
       insert into ${SCHEMA}.reservations
         (org_id, id, amount_usd, budget_ids, window_starts, parts, user_id, provider, model, created_at, expires_at, about)
       select org, r.id, r.amount, budgets, starts, parts_or_null, r.user_id, r.provider, r.model, moment, expiry,
         r.about::jsonb
       from unnest(ids, amounts, users, providers, models, abouts) r(id, amount, user_id, provider, model, about);
     else
       insert into ${SCHEMA}.reservations
         (org_id, id, amount_usd, budget_ids, window_starts, parts, user_id, provider, model, created_at, expires_at, about)
       select org, r.id, r.amount,
         case when sets is null then budgets else array(select budgets[k] from unnest(r.own::integer[]) k) end,
         case when sets is null then starts else array(select starts[k] from unnest(r.own::integer[]) k) end,
         case when sets is null or parts_or_null is null then parts_or_null
           else array(select parts[k] from unnest(r.own::integer[]) k) end,
         r.user_id, r.provider, r.model, moment, expiry, r.about::jsonb
       from unnest(ids, amounts, sets, users, providers, models, abouts) with ordinality
         r(id, amount, own, user_id, provider, model, about, n)
       where taken is null or taken[r.n];
     end if;
     return jsonb_build_object('state', 'done', 'expires_at', floor(extract(epoch from expiry) * 1000),
       'refused', refused, 'unreported', unreported)::text;
   end
   $$`,
];
