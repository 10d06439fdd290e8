import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query';
import { ApiError, isPassing } from './api-error.ts';
import { ME } from './session.ts';

/** Called if the session ends while the page is open. */
type Ended = () => void;

/** Creates the query client of the page. If a request gets a 401, the session has ended. The page keeps its content. */
export function createQueryClient(ended: Ended): QueryClient {
  const onError = (error: Error): void => {
    if (error instanceof ApiError && error.status === 401) ended();
  };
  return new QueryClient({
    queryCache: new QueryCache({
      onError: (error, query) => {
        if (query.queryKey[0] !== ME.queryKey[0]) onError(error);
      },
    }),
    mutationCache: new MutationCache({ onError }),
    defaultOptions: {
      queries: {
        staleTime: 15_000,
        gcTime: 10 * 60_000,
        refetchOnWindowFocus: true,
        retry: (failures, error) => failures < 2 && isPassing(error),
        retryDelay: failures => 500 * 2 ** failures,
      },
      mutations: { retry: false },
    },
  });
}
