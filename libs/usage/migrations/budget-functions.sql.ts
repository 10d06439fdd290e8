import { SCHEMA } from '#database';

// Functions have advantages over single statements: they need one round trip, their plans are cached, and they find
// rows by key one after the other, regardless of the planner. They run with the caller's rights and under row-level
// security. All functions lock in the same order: first reservations, then windows by key (budget, start, part), which
// is also the order of the arrays.

/** Query of an organization's expired reservations. The caller uses it in a loop or adds a limit. */
export const EXPIRED = `select r.id from ${SCHEMA}.reservations r where r.org_id = org and r.expires_at <= moment
  order by r.id`;

/** The windows of a reservation as rows, one row per window. */
export const WINDOWS_OF = (reservation: string): string =>
  `unnest(${reservation}.budget_ids, ${reservation}.window_starts, ${reservation}.parts) c(budget, start, part)`;

/** Condition for the window whose key is at index `n` of the arrays `budgets`, `starts` and `parts`. */
export const KEY = (n: string): string =>
  `w.org_id = org and w.budget_id = budgets[${n}] and w.window_start = starts[${n}] and w.part = parts[${n}]`;

/**
 * SQL expression for the amount of a window of the budget `b`: the part's own amount if it has one, otherwise the
 * budget's amount.
 */
export const amountOf = (part: string): string => `case when b.split_by is null then b.amount_usd else coalesce((
  select o.amount_usd from ${SCHEMA}.budget_overrides o where o.org_id = org and o.budget_id = b.id and o.part = ${part}
  ), b.amount_usd) end`;

/** Statement that opens the missing windows of the rows `c`. */
export const opening = (from: string): string => `insert into ${SCHEMA}.budget_windows
    (org_id, budget_id, window_start, part, window_end)
  select org, b.id, c.start, c.part, c.until
  from ${from} join ${SCHEMA}.budgets b on b.org_id = org and b.id = c.budget
  order by c.n for key share of b
  on conflict do nothing`;

/**
 * Adds spending to windows and subtracts released reservations. Opens missing windows, and skips windows of deleted
 * budgets. A correction never makes the spending of a window negative. Negative spending would let a blocking budget
 * allow more than its amount; it could occur if the usage was counted in another window. Returns the thresholds that
 * the windows reached for the first time: the thresholds of the budget (four fifths, if it has none) and the whole
 * amount.
 */
export const ADD_SPEND: readonly [signature: string, definition: string] = [
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
 * The result contains no entry for a decision without a reservation. Releases the reservations of some decisions, and
 * returns the amount of each.
 */
export const RELEASE_RESERVATIONS: readonly [signature: string, definition: string] = [
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

/** Releases expired reservations, up to a maximum; returns their number. */
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
