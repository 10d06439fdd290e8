import { SCHEMA } from '#database';

// Functions instead of single statements: one round trip, plans that are kept, and rows that are found by their key
// one after the other, whatever the planner thinks of the tables. They work under the caller's rights and row-level
// security. Everybody locks in one order: reservations first, then windows in the order of their keys, which is the
// order of the arrays.

/** Reservations of an organization that are due to be given back, for a loop or a limit to follow. */
export const EXPIRED = `select r.id from ${SCHEMA}.reservations r where r.org_id = org and r.expires_at <= moment
  order by r.id`;

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
