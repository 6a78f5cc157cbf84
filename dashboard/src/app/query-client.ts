import { QueryClient } from '@tanstack/react-query'
import { OperationError } from '#api/operation-error.ts'

function mayRetry(failures: number, error: Error): boolean {
  return (!(error instanceof OperationError) || error.isOutage) && failures < 2
}

export const queryClient = new QueryClient({
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
