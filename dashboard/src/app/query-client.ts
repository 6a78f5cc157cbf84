import { MutationCache, QueryCache, QueryClient } from '@tanstack/react-query'
import { meQuery } from '#api/me.ts'
import { OperationError } from '#api/operation-error.ts'

function mayRetry(failures: number, error: Error): boolean {
  return (!(error instanceof OperationError) || error.isOutage) && failures < 2
}

/** The workspace began to require a second factor: the shell then shows how to add one. */
function refreshWaiting(error: Error): void {
  if (error instanceof OperationError && error.code === 'second_factor_required')
    void queryClient.invalidateQueries(meQuery)
}

export const queryClient: QueryClient = new QueryClient({
  queryCache: new QueryCache({ onError: refreshWaiting }),
  mutationCache: new MutationCache({ onError: refreshWaiting }),
  defaultOptions: {
    // `always`: a browser that reports being offline can still reach a service on its own machine.
    queries: {
      retry: mayRetry,
      staleTime: 10_000,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Not cached, because results of mutations contain secrets that are shown once.
    mutations: { retry: false, gcTime: 0, networkMode: 'always' },
  },
})
