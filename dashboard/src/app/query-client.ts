import { QueryClient } from '@tanstack/react-query'
import { OperationError } from '#api/operation-error.ts'

/**
 * Retries when the service is unreachable, as during a restart; a refusal would be the same again.
 */
function mayRetry(failures: number, error: Error): boolean {
  const { status } = error instanceof OperationError ? error : { status: 0 }
  return (status === 0 || status === 502 || status === 503) && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 10_000 },
    // Not cached: answers of mutations hold secrets that are shown once.
    mutations: { retry: false, gcTime: 0 },
  },
})
