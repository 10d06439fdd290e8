import { useMay } from '../../data/scopes.ts';
import { useApi } from '../../data/use-api.ts';
import type { Option } from '../../parts/field.tsx';

/** Maximum page size of the API. */
const POLICIES_SHOWN = 100;

/** Ids and names of the policies, newest first. */
export function usePolicyOptions(): Option[] {
  const { data } = useApi('listPolicies', { limit: POLICIES_SHOWN }, { enabled: useMay('policies:read') });
  return (data?.items ?? []).map(({ id, name }) => [id, name] as const);
}
