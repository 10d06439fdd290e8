// The three functions are read together: all of them lock windows in one order. That is why they share a file.
import { SCHEMA } from '#database';
import { EXPIRED } from './budget-functions.sql.js';

// Everybody locks in one order: reservations first, then windows in the order of their keys (budget, start, part), which is
// the order of the arrays.

/** What is known of budgets has this version; whoever knows another one must look again. */
const BUDGETS_VERSION = `select coalesce(sum(m.version), 0) from ${SCHEMA}.change_marks m
  where m.org_id = org and m.topic in ('budgets', 'organization')`;

/** Reservations that one call gives back because they have expired; a few microseconds each. */
const SWEEP = 5_000;

/** Windows up to which updating one after the other is faster than one statement for all. */
const FEW = 3;

/** Whether a reservation has expired; see the migration of extended reservations. */
const IS_ONE_EXPIRED = `(coalesce((select r.expires_at <= moment from ${SCHEMA}.reservations r where r.org_id = org
  and r.extended_at is null order by r.id limit 1), false) or exists (select from ${SCHEMA}.reservations r
  where r.org_id = org and r.extended_at is not null and r.expires_at <= moment))`;

/** The windows of a reservation, one row each. */
const WINDOWS_OF = (reservation: string): string =>
  `unnest(${reservation}.budget_ids, ${reservation}.window_starts, ${reservation}.parts) c(budget, start, part)`;

const KEY = (n: string): string =>
  `w.org_id = org and w.budget_id = budgets[${n}] and w.window_start = starts[${n}] and w.part = parts[${n}]`;

/** What may be spent in a window of the budget `b`: what was set for the part, or the budget's amount. */
const amountOf = (part: string): string => `case when b.split_by is null then b.amount_usd else coalesce((
  select o.amount_usd from ${SCHEMA}.budget_overrides o where o.org_id = org and o.budget_id = b.id and o.part = ${part}
  ), b.amount_usd) end`;

/** Opens a window, or several from `c`. */
const opening = (from: string): string => `insert into ${SCHEMA}.budget_windows
    (org_id, budget_id, window_start, part, window_end)
  select org, b.id, c.start, c.part, c.until
  from ${from} join ${SCHEMA}.budgets b on b.org_id = org and b.id = c.budget
  order by c.n for key share of b
  on conflict do nothing`;

/** Locks all windows in their order and reads them. The lateral limit keeps the order, whatever the planner thinks. */
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
 * windows that they need, in the order of their keys, with the sum of all that is asked of each; `parts_or_null` is null
 * where no budget is split. `sets` are, per request, the numbers of its windows as an array literal, and null where each
 * request needs all of them. `abouts` are what requests name beside the person and the model, null where none does. With
 * `sweep`, what has expired is given back first.
 *
 * Answers JSON: `{"state": "done", "expires_at": ms, "refused": [request, window, …], "unreported": [window, …]}`, all
 * numbers from 1; `refused` are pairs and missing where there are none; `unreported` are refusing windows that have not
 * been told of as exceeded, and of which four fifths were spent or held. `{"state": "stale"}` where budgets have changed;
 * `{"state": "expired"}` where there is too little room, but reservations are due to be given back first. Nothing is
 * reserved then.
 */
export const RESERVE_PARTS: readonly [signature: string, definition: string] = [
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

/**
 * Adds what was spent to windows and takes what was held out of them; opens windows that are not there yet. Windows of
 * budgets that are gone are passed over. A correction never makes a window's spending negative: what it takes away may
 * have been counted elsewhere, and a block budget would let more through than its amount. Answers the thresholds that
 * were reached for the first time: those of the budget, or four fifths, and all of it.
 */
export const ADD_SPEND_TO_PARTS: readonly [signature: string, definition: string] = [
  `add_spend(org uuid, budgets uuid[], starts timestamptz[], parts text[], ends timestamptz[], spent numeric[],
     released numeric[])`,
  `returns table (budget_id uuid, window_start timestamptz, part text, window_end timestamptz, threshold numeric,
     spent_usd numeric, amount_usd numeric)
   language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   #variable_conflict use_column
   declare
     n integer; row_now record; budget_now record; share numeric; is_open boolean;
   begin
     for n in 1 .. cardinality(budgets) loop
       for attempt in 1 .. 2 loop
         update ${SCHEMA}.budget_windows w
         set spent_usd = greatest(w.spent_usd + spent[n], 0), reserved_usd = w.reserved_usd - released[n]
         where ${KEY('n')}
         returning w.window_end, w.spent_usd, w.warned_at, w.warned, w.exceeded_at into row_now;
         is_open := found;
         exit when is_open;
         ${opening('(select budgets[n] as budget, starts[n] as start, parts[n] as part, ends[n] as until, n as n) c')};
       end loop;
       continue when not is_open;
       select ${amountOf('parts[n]')} as most, coalesce(b.alerts, '{0.8}') as alerts into budget_now
       from ${SCHEMA}.budgets b where b.org_id = org and b.id = budgets[n];
       continue when not found;
       budget_id := budgets[n]; window_start := starts[n]; part := parts[n]; window_end := row_now.window_end;
       spent_usd := row_now.spent_usd; amount_usd := budget_now.most;
       -- Alerts stand in ascending order.
       if row_now.spent_usd >= budget_now.most * budget_now.alerts[1] then
         foreach share in array budget_now.alerts loop
           exit when row_now.spent_usd < budget_now.most * share;
           continue when share <= coalesce(row_now.warned, case when row_now.warned_at is null then 0 else 0.8 end);
           update ${SCHEMA}.budget_windows w set warned_at = ${SCHEMA}.now(), warned = share where ${KEY('n')};
           threshold := share;
           return next;
         end loop;
       end if;
       if row_now.exceeded_at is null and row_now.spent_usd >= budget_now.most then
         update ${SCHEMA}.budget_windows w set exceeded_at = ${SCHEMA}.now() where ${KEY('n')};
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
export const RELEASE_PARTS: readonly [signature: string, definition: string] = [
  'release_reservations(org uuid, decisions uuid[])',
  `returns table (id uuid, amount_usd numeric)
   language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   #variable_conflict use_column
   declare
     piece record;
   begin
     perform set_config('governance.org_id', org::text, true);
     for piece in
       with gone as (
         delete from ${SCHEMA}.reservations r where r.org_id = org and r.id = any(decisions)
         returning r.id, r.amount_usd, r.budget_ids, r.window_starts, r.parts)
       select g.id, g.amount_usd as amount, null::uuid as budget, null::timestamptz as start, null as part from gone g
       union all
       select null, sum(g.amount_usd), c.budget, c.start, coalesce(c.part, '') collate "C"
       from gone g, ${WINDOWS_OF('g')} group by 3, 4, 5
       order by budget nulls first, start, part
     loop
       if piece.id is not null then
         id := piece.id; amount_usd := piece.amount;
         return next;
       else
         update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd - piece.amount
         where w.org_id = org and w.budget_id = piece.budget and w.window_start = piece.start and w.part = piece.part;
       end if;
     end loop;
   end
   $$`,
];
