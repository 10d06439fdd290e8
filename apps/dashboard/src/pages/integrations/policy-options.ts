import { useMay } from '../../data/scopes.ts';
import { useApi, type ItemOf } from '../../data/use-api.ts';
import type { Option } from '../../parts/field.tsx';

type Action = ItemOf<'listPolicies'>['action'];

/** Maximum page size of the API. */
const POLICIES_SHOWN = 100;

/**
 * Ids and names of the policies, newest first. If an action is given, contains only policies with that action, and the
 * policies to keep.
 */
export function usePolicyOptions(action?: Action, kept: readonly string[] = []): Option[] {
  const { data } = useApi('listPolicies', { limit: POLICIES_SHOWN }, { enabled: useMay('policies:read') });
  return (data?.items ?? [])
    .filter(policy => action === undefined || policy.action === action || kept.includes(policy.id))
    .map(({ id, name }) => [id, name] as const);
}
