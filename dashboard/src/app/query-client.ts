import { QueryClient } from '@tanstack/react-query'
import { OperationError } from '#api/operation-error.ts'

/** A refusal stays one when it is repeated; a service that restarts is there again in a moment. */
function mayRetry(failures: number, error: Error): boolean {
  const { status } = error instanceof OperationError ? error : { status: 0 }
  return (status === 0 || status === 502 || status === 503) && failures < 2
}

export const queryClient = new QueryClient({
  defaultOptions: {
    queries: { retry: mayRetry, staleTime: 10_000 },
    // Answers of changes hold what is shown once: they are not kept.
    mutations: { retry: false, gcTime: 0 },
  },
})
