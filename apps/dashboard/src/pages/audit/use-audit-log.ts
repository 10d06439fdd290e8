import { useList } from '../../data/use-api.ts';
import { useFilters } from '../../parts/use-filters.ts';
import { useRange } from '../../parts/use-range.ts';

/** Filters of the audit log, with the names that they have in the address. */
export const FILTERS = ['q', 'action', 'resource_type', 'resource_id', 'actor_id'] as const;

/** The entries that match the filters and the time range of the page. */
export function useAuditLog() {
  const [{ q, action, resource_type, resource_id, actor_id }] = useFilters<(typeof FILTERS)[number]>();
  const { since, until } = useRange();
  return useList('listAuditRecords', { q, action, resource_type, resource_id, actor_id, since, until });
}
