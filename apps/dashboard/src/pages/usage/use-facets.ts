import { useRoute } from '../../data/usage-series.ts';

type Facet = 'model' | 'provider' | 'department';

interface Facets {
  facets: { of: string; values: string[]; has_more: boolean }[];
}

/** The models, providers and departments that occur in usage. */
export function useFacets(enabled: boolean): Partial<Record<Facet, string[]>> {
  const { data } = useRoute<Facets>('listFacets', 'facets', { of: 'model,provider,department' }, enabled);
  return Object.fromEntries(data?.facets.map(({ of, values }) => [of, values] as const) ?? []);
}
