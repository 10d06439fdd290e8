import { SCHEMA } from '#database';

/**
 * Whether the organization has the record of a decision at this very moment. A statement that has waited for another
 * transaction does not see its rows; a function that is volatile does. Planned for each id, so that only the partition
 * of its day is looked at.
 */
export const HAS_DECISION: readonly [signature: string, definition: string] = [
  'has_decision(organization uuid, decision uuid)',
  `returns boolean language plpgsql volatile set search_path = pg_catalog, pg_temp set plan_cache_mode = force_custom_plan
   as $$
   begin
     return exists (select from ${SCHEMA}.decisions d where d.org_id = organization and d.id = decision);
   end
   $$`,
];
