import {
  keepPreviousData,
  useInfiniteQuery,
  useMutation,
  useQuery,
  useQueryClient,
  type UseMutationResult,
} from '@tanstack/react-query'
import {
  callOperation,
  type InputOf,
  type ItemOf,
  type ListName,
  type OperationName,
  type OutputOf,
} from './call-operation.ts'
import type { OperationError } from './operation-error.ts'
import { listKey, operationKey, refresh } from './operation-keys.ts'

export interface OperationRead<Output> {
  readonly data: Output | undefined
  readonly error: OperationError | null
  readonly isPending: boolean
  /** When the data arrived. Epoch milliseconds. */
  readonly arrivedAt: number
  refetch(): void
}

interface ReadOptions<Output> {
  readonly enabled?: boolean
  /** The polling interval in milliseconds, given the last result; false stops polling. */
  readonly refetchInterval?: number | false | ((last: Output | undefined) => number | false)
}

/** Runs a reading operation. Its result is cached and shared by name and input. */
export function useOperation<Name extends OperationName>(
  name: Name,
  input: InputOf<Name>,
  options: ReadOptions<OutputOf<Name>> = {},
): OperationRead<OutputOf<Name>> {
  const { enabled = true, refetchInterval = false } = options
  const query = useQuery<OutputOf<Name>, OperationError>({
    queryKey: operationKey(name, input),
    queryFn: ({ signal }) => callOperation(name, input, signal),
    enabled,
    refetchInterval:
      typeof refetchInterval === 'function'
        ? ({ state }) => refetchInterval(state.data)
        : refetchInterval,
  })
  const { data, isPending } = query
  return {
    data,
    isPending,
    arrivedAt: query.dataUpdatedAt,
    error: errorToShow(data, query.error),
    refetch: () => void query.refetch(),
  }
}

/**
 * While the service is briefly unavailable or a rate limit is reached, the page keeps what it has loaded, and with it its forms,
 * uploads and conversations.
 */
function errorToShow(data: unknown, error: OperationError | null): OperationError | null {
  return data !== undefined && error?.isPassing === true ? null : error
}

/** The items of a list that are loaded so far, with `more()` for the next page. */
export interface OperationList<Item> {
  readonly items: readonly Item[]
  readonly isPending: boolean
  readonly error: OperationError | null
  readonly hasMore: boolean
  readonly isLoadingMore: boolean
  more(): void
  /** Fetches the next page when the reader reaches the end; undefined if there is none to fetch. */
  readonly onEnd: (() => void) | undefined
  refetch(): void
}

interface ListOptions<Item> {
  readonly enabled?: boolean
  /** Shows the items of the last input until those of a new one have arrived. */
  readonly keepsItems?: boolean
  /** The polling interval in milliseconds, given the items so far; false stops polling. */
  readonly refetchInterval?: number | false | ((items: readonly Item[]) => number | false)
}

/** A list that is loaded page by page. `limit` is the page size. */
export function useOperationList<Name extends ListName>(
  name: Name,
  input: InputOf<Name>,
  options: ListOptions<ItemOf<Name>> = {},
): OperationList<ItemOf<Name>> {
  const { refetchInterval = false } = options
  const interval = (items: readonly ItemOf<Name>[]) =>
    typeof refetchInterval === 'function' ? refetchInterval(items) : refetchInterval
  const query = useInfiniteQuery({
    queryKey: listKey(name, input),
    queryFn: async ({ pageParam, signal }) => {
      const page = pageParam === null ? input : { ...input, cursor: pageParam }
      const output: unknown = await callOperation(name, page, signal)
      // ListName contains only operations with results of this shape.
      return output as { items: readonly ItemOf<Name>[]; next_cursor: string | null }
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => last.next_cursor,
    enabled: options.enabled ?? true,
    ...(options.keepsItems === true ? { placeholderData: keepPreviousData } : {}),
    refetchInterval: ({ state }) => interval(state.data?.pages.flatMap((page) => page.items) ?? []),
  })
  const more = () => void query.fetchNextPage()
  return {
    items: query.data?.pages.flatMap((page) => page.items) ?? [],
    isPending: query.isPending,
    // Only `callOperation` throws in the query function.
    error: errorToShow(query.data, query.error as OperationError | null),
    hasMore: query.hasNextPage,
    isLoadingMore: query.isFetchingNextPage,
    more,
    onEnd: query.hasNextPage && !query.isFetchingNextPage ? more : undefined,
    refetch: () => void query.refetch(),
  }
}

interface ChangeOptions<Name extends OperationName> {
  /** Operations whose results become stale. */
  readonly refreshes?: readonly OperationName[]
  readonly onSuccess?: (output: OutputOf<Name>, input: InputOf<Name>) => void
}

/** Runs a changing operation with `mutate(input)`, then refetches the results that became stale. */
export function useOperationMutation<Name extends OperationName>(
  name: Name,
  { refreshes = [], onSuccess }: ChangeOptions<Name> = {},
): UseMutationResult<OutputOf<Name>, OperationError, InputOf<Name>> {
  const client = useQueryClient()
  return useMutation<OutputOf<Name>, OperationError, InputOf<Name>>({
    mutationFn: (input) => callOperation(name, input),
    async onSuccess(output, input) {
      await refresh(client, refreshes)
      onSuccess?.(output, input)
    },
  })
}
