import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
  type UseQueryResult,
} from '@tanstack/react-query';
import { useMemo } from 'react';
import { call, callCsv, type AnswerOf, type InputOf, type Operation } from './call.ts';
import type { ApiError } from './api-error.ts';

/** A page of a list, in the form of all list operations. */
interface Page<Item> {
  items: Item[];
  next_cursor: string | null;
  has_more: boolean;
  total_count?: number;
}

/** Operations whose answers are pages of a list. */
export type ListOperation = {
  [O in Operation]: AnswerOf<O> extends Page<unknown> ? O : never;
}[Operation];

/** The entry type of a list operation. */
export type ItemOf<O extends ListOperation> = AnswerOf<O> extends Page<infer Item> ? Item : never;

/** A list that the page reads in parts. */
export interface List<Item> {
  items: Item[];
  /** Total number of entries, if the API counts them. */
  total: number | undefined;
  isPending: boolean;
  isFetching: boolean;
  error: ApiError | null;
  hasMore: boolean;
  isLoadingMore: boolean;
  more: () => void;
  retry: () => void;
  /** Name of the list, for a file name. */
  name: string;
  /** Reads all entries of the list as CSV. */
  csv: () => Promise<string>;
}

/** Options of a read that the operation itself does not have. */
export interface ReadOptions {
  /** If false, no request is sent. Default: true. */
  enabled?: boolean;
  /** Whether the previous answer is kept until the answer for new input arrives. */
  keep?: boolean;
}

/** Query key of an operation. The live stream and actions refetch queries by the first part of their key. */
function keyOf<O extends Operation>(operation: O, input: InputOf<O>): readonly unknown[] {
  return [operation, input];
}

/** Reads one answer of the API. */
export function useApi<O extends Operation>(
  operation: O,
  input: InputOf<O>,
  { enabled = true, keep = false }: ReadOptions = {},
): UseQueryResult<AnswerOf<O>, ApiError> {
  const result = useQuery<unknown, ApiError>({
    queryKey: keyOf(operation, input),
    queryFn: ({ signal }) => call(operation, input, signal),
    enabled,
    ...(keep && { placeholderData: keepPreviousData }),
  });
  // The types of the library cannot express an answer whose type depends on the operation.
  return result as UseQueryResult<AnswerOf<O>, ApiError>;
}

/** Reads a list page by page. The server filters and sorts it. */
export function useList<O extends ListOperation>(
  operation: O,
  input: InputOf<O>,
  { enabled = true }: { enabled?: boolean } = {},
): List<ItemOf<O>> {
  const result = useInfiniteQuery<Page<ItemOf<O>>, ApiError>({
    queryKey: [operation, 'list', input],
    queryFn: async ({ pageParam, signal }) => {
      const page = { limit: 100, ...input, cursor: pageParam };
      // All operations in `ListOperation` answer with pages, which the compiler cannot infer.
      return (await call(operation, page, signal)) as unknown as Page<ItemOf<O>>;
    },
    initialPageParam: undefined,
    getNextPageParam: page => page.next_cursor ?? undefined,
    enabled,
  });
  const pages = result.data?.pages;
  const items = useMemo(() => pages?.flatMap(page => page.items) ?? [], [pages]);
  return {
    items,
    total: pages?.[0]?.total_count,
    isPending: result.isPending,
    isFetching: result.isFetching,
    error: result.error,
    hasMore: result.hasNextPage,
    isLoadingMore: result.isFetchingNextPage,
    more: () => void result.fetchNextPage(),
    retry: () => void result.refetch(),
    name: nameOf(operation),
    csv: () => callCsv(operation, input),
  };
}

/** Converts the name of a list operation to a file name: `listAuditRecords` becomes `audit-records`. */
function nameOf(operation: ListOperation): string {
  return operation
    .replace(/^list/, '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, letter => `-${letter}`)
    .toLowerCase();
}

/** Calls an operation that changes something, then refetches the operations in `touches`. */
export function useAction<O extends Operation>(
  operation: O,
  touches: readonly Operation[],
  done?: (answer: AnswerOf<O>, input: InputOf<O>) => void,
): UseMutationResult<AnswerOf<O>, ApiError, InputOf<O>> {
  const client = useQueryClient();
  return useMutation<AnswerOf<O>, ApiError, InputOf<O>>({
    mutationFn: input => call(operation, input),
    onSuccess: async (answer, input) => {
      done?.(answer, input);
      await Promise.all(touches.map(name => client.invalidateQueries({ queryKey: [name] })));
    },
  });
}
