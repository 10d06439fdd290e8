import { SCHEMA } from '#database';

/**
 * Divides a reservation: moves parts of its amount to separate rows, one per decision, for the same windows. Skips
 * decisions that already have a row. Without `keeps_rest`, the remaining amount is released. Does nothing if the
 * reservation no longer exists.
 */
export const DIVIDE_RESERVATION: readonly [signature: string, definition: string] = [
  `divide_reservation(org uuid, advance uuid, keeps_rest boolean, ids uuid[], amounts numeric[], users text[],
     providers text[], models text[], abouts text[])`,
  `returns void language plpgsql volatile set search_path = pg_catalog, pg_temp
   as $$
   declare
     whole ${SCHEMA}.reservations; divided numeric;
   begin
     perform set_config('governance.org_id', org::text, true);
     select r.* into whole from ${SCHEMA}.reservations r where r.org_id = org and r.id = advance for update;
     if not found then return; end if;
     if cardinality(ids) > 0 then
       with added as (
         insert into ${SCHEMA}.reservations
           (org_id, id, amount_usd, budget_ids, window_starts, parts, user_id, provider, model, created_at, expires_at, about)
         select org, p.id, p.amount, whole.budget_ids, whole.window_starts, whole.parts, p.user_id, p.provider, p.model,
           whole.created_at, whole.expires_at, p.about::jsonb
         from unnest(ids, amounts, users, providers, models, abouts) p(id, amount, user_id, provider, model, about)
         on conflict do nothing
         returning amount_usd)
       select coalesce(sum(a.amount_usd), 0) into divided from added a;
       update ${SCHEMA}.reservations r set amount_usd = r.amount_usd - divided where r.org_id = org and r.id = advance;
     end if;
     if not keeps_rest then perform from ${SCHEMA}.release_reservations(org, array[advance]); end if;
   end
   $$`,
];
