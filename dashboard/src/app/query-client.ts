import { QueryClient } from '@tanstack/react-query'
import { OperationError } from '#api/operation-error.ts'

function mayRetry(failures: number, error: Error): boolean {
  return (!(error instanceof OperationError) || error.isOutage) && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    // `always`: a browser that calls itself offline still reaches a service on its own machine.
    queries: {
      retry: mayRetry,
      staleTime: 10_000,
      networkMode: 'always',
      refetchOnReconnect: true,
    },
    // Not cached: answers of mutations hold secrets that are shown once.
    mutations: { retry: false, gcTime: 0, networkMode: 'always' },
  },
})
