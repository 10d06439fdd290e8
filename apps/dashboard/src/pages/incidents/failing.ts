import { useMemo } from 'react';
import { useMay } from '../../data/scopes.ts';
import { useApi, type ItemOf } from '../../data/use-api.ts';

export type Connector = ItemOf<'listConnectors'>;

const NONE: readonly Connector[] = [];

/** The connectors that cannot create tickets now. */
export function useFailing(): readonly Connector[] {
  const { data } = useApi('listConnectors', { limit: 100 }, { enabled: useMay('itsm:read') });
  return useMemo(() => data?.items.filter(({ active, problem }) => active && problem !== null) ?? NONE, [data]);
}

/** Whether a ticket cannot be created until somebody repairs its connector. */
export function isStuck(
  { sync_state, connector_id }: { sync_state: string; connector_id: string },
  failing: readonly Connector[],
): boolean {
  return sync_state === 'pending' && failing.some(({ id }) => id === connector_id);
}
