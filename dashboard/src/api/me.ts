import { queryOptions, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { Me } from './generated-operations.ts'
import { send } from './send.ts'

export type { Me }
export type Workspace = Me['workspaces'][number]
export type Plan = Workspace['plan']
export type Role = Workspace['role']

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const response = await send('/me', { signal })
    return (await response.json()) as Me // generated from the service's own schema
  },
  staleTime: 5 * 60_000,
})

/** The signed-in user. The shell loads it before any page. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

/**
 * Refetches `me`, which contains the workspaces of the switcher and is not an operation that a
 * mutation could refresh.
 */
export function useRefreshMe(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries(meQuery)
}
