import { SCHEMA } from '#database';
import { BUDGETS_VERSION } from './reserve-spend.sql.js';

/** An SQLSTATE that PostgreSQL does not use. It means that at least one window has no room for its total. */
const NOT_ALL = 'GV001';

const OWN_AMOUNT = (frame: string, part: string): string => `select o.amount_usd from ${SCHEMA}.budget_overrides o
  where o.org_id = org and o.budget_id = budgets[${frame}] and o.part = ${part}`;

/**
 * SQL expression for the amount of a window. If no part of the budget has its own amount, it does not search for one.
 */
const amountOf = (frame: string, part: string): string => `case when has_own[${frame}]
  then coalesce((${OWN_AMOUNT(frame, part)}), most[${frame}]) else most[${frame}] end`;

/**
 * Reserves for several requests that need many windows, mostly the parts of a split budget. `budgets`, `starts` and
 * `ends` are the windows without their parts. Each entry of `frames`, `parts` and `totals` is a window with its part:
 * the number of the window, the part, and the sum of the requests. Entries are in the order of their keys. `sets` has,
 * per request, the numbers of its entries as an array literal. It is null if each request needs one: then `owns` has
 * that number. One statement adds to all windows, and one makes those that do not exist. If a request may not fit,
 * nothing of this remains, and `reserve_spend` decides. Returns what `reserve_spend` returns.
 */
export const RESERVE_MANY_WINDOWS: readonly [signature: string, definition: string] = [
  `reserve_many_windows(org uuid, known_version bigint, valid_for interval,
     budgets uuid[], starts timestamptz[], ends timestamptz[], frames integer[], parts text[], totals numeric[],
     ids uuid[], amounts numeric[], owns integer[], sets text[], users text[], providers text[], models text[],
     abouts text[])`,
  // The best plan does not depend on the values of the arrays, so PostgreSQL always uses one generic plan.
  `returns text language plpgsql volatile set search_path = pg_catalog, pg_temp
   set enable_seqscan = off set enable_hashjoin = off set enable_mergejoin = off set plan_cache_mode = force_generic_plan
   as $$
   declare
     moment timestamptz := ${SCHEMA}.now();
     expiry timestamptz := moment + valid_for;
     many integer := cardinality(parts); most numeric[]; has_own boolean[]; passed bigint[]; opened integer;
   begin
     perform set_config('governance.org_id', org::text, true);
     -- A block with a handler is undone as a whole, and its locks are released. So reserve_spend can lock in order.
     begin
       select array_agg(b.amount_usd order by c.n),
         array_agg(b.split_by is not null and exists (
           select from ${SCHEMA}.budget_overrides o where o.org_id = org and o.budget_id = c.budget) order by c.n)
       into most, has_own
       from unnest(budgets) with ordinality c(budget, n)
       left join ${SCHEMA}.budgets b on b.org_id = org and b.id = c.budget;
       -- Only nested loops are allowed, so the windows are locked in the order of the arrays.
       with added as (
         update ${SCHEMA}.budget_windows w set reserved_usd = w.reserved_usd + c.total
         from unnest(frames, parts, totals) with ordinality c(frame, part, total, n)
         where w.org_id = org and w.budget_id = budgets[c.frame] and w.window_start = starts[c.frame] and w.part = c.part
           and w.spent_usd + w.reserved_usd + c.total < ${amountOf('c.frame', 'c.part')}
         returning c.n)
       select coalesce(array_agg(a.n), '{}') into passed from added a;
       if cardinality(passed) < many then
         insert into ${SCHEMA}.budget_windows (org_id, budget_id, window_start, part, window_end, reserved_usd)
         select org, budgets[frames[m.n]], starts[frames[m.n]], parts[m.n], ends[frames[m.n]], totals[m.n]
         from (select generate_series(1, many)::bigint except select unnest(passed)) m(n)
         where totals[m.n] < ${amountOf('frames[m.n]', 'parts[m.n]')}
         order by m.n on conflict do nothing;
         get diagnostics opened = row_count;
         if cardinality(passed) + opened < many then raise exception using errcode = '${NOT_ALL}'; end if;
       end if;
       -- Looked at when everything is locked: an amount that was changed while this waited has another version.
       if known_version <> (${BUDGETS_VERSION}) then raise exception using errcode = '${NOT_ALL}'; end if;
     -- A foreign key is violated if a budget is deleted meanwhile.
     exception when sqlstate '${NOT_ALL}' or foreign_key_violation then
       return ${SCHEMA}.reserve_spend(org, known_version, valid_for, false,
         array(select budgets[f] from unnest(frames) with ordinality c(f, n) order by n),
         array(select starts[f] from unnest(frames) with ordinality c(f, n) order by n), parts,
         array(select ends[f] from unnest(frames) with ordinality c(f, n) order by n), totals,
         ids, amounts, coalesce(sets, array(select '{' || o || '}' from unnest(owns) with ordinality c(o, n) order by n)),
         users, providers, models, abouts);
     end;
     if sets is null then
       insert into ${SCHEMA}.reservations
         (org_id, id, amount_usd, budget_ids, window_starts, parts, user_id, provider, model, created_at, expires_at, about)
       select org, r.id, r.amount, array[budgets[frames[r.own]]], array[starts[frames[r.own]]], array[parts[r.own]],
         r.user_id, r.provider, r.model, moment, expiry, r.about::jsonb
       from unnest(ids, amounts, owns, users, providers, models, abouts)
         r(id, amount, own, user_id, provider, model, about);
     else
       insert into ${SCHEMA}.reservations
         (org_id, id, amount_usd, budget_ids, window_starts, parts, user_id, provider, model, created_at, expires_at, about)
       select org, r.id, r.amount,
         array(select budgets[frames[k]] from unnest(r.own::integer[]) k),
         array(select starts[frames[k]] from unnest(r.own::integer[]) k),
         array(select parts[k] from unnest(r.own::integer[]) k),
         r.user_id, r.provider, r.model, moment, expiry, r.about::jsonb
       from unnest(ids, amounts, sets, users, providers, models, abouts)
         r(id, amount, own, user_id, provider, model, about);
     end if;
     return jsonb_build_object('state', 'done', 'expires_at', floor(extract(epoch from expiry) * 1000),
       'refused', null, 'unreported', '{}'::integer[])::text;
   end
   $$`,
];
