import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query';
import { API_ROOT } from './address.ts';
import type { ApiError } from './api-error.ts';
import { pageFetch } from './call.ts';

/** One period of a series. The value is null if the cost is unknown. */
export interface SeriesPoint {
  period: string;
  value: number | null;
  unpriced_requests: number;
}

/** One line of a series: a group, the sum of the other groups, or the total. */
export interface SeriesLine {
  total: number | null;
  unpriced_requests: number;
  points: SeriesPoint[];
}

/** A group of a series. Groups are in order, the largest first. */
export interface SeriesGroup extends SeriesLine {
  key: string | null | (string | null)[];
  user_email: string | null;
}

/** Usage over time by group. The server computes the totals. */
export interface UsageSeries extends SeriesLine {
  group_by: string[];
  metric: string;
  period: string;
  time_zone: string;
  groups: SeriesGroup[];
  other: (SeriesLine & { groups: number }) | null;
}

type Query = Record<string, string | number | undefined>;

/** Address of an API route with its query. */
export function routeAddress(route: string, query: Query): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query))
    if (value !== undefined && value !== '') search.set(name, String(value));
  return `${API_ROOT}/${route}${search.size > 0 ? `?${search}` : ''}`;
}

/** Reads a route by its address. While a query with other values loads, the previous answer stays. */
export function useRoute<Answer>(
  name: string,
  route: string,
  query: Query = {},
  enabled = true,
): UseQueryResult<Answer, ApiError> {
  const result = useQuery<unknown, ApiError>({
    queryKey: [name, query],
    queryFn: async ({ signal }) => (await pageFetch(routeAddress(route, query), { signal })).json(),
    enabled,
    placeholderData: keepPreviousData,
  });
  // The caller states the type of the answer, because it cannot be derived from the address.
  return result as UseQueryResult<Answer, ApiError>;
}

export function useUsageSeries(query: Query, enabled = true): UseQueryResult<UsageSeries, ApiError> {
  return useRoute<UsageSeries>('getUsageSeries', 'usage/series', query, enabled);
}
