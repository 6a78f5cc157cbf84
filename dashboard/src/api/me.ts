import { queryOptions, useQuery, useQueryClient, useSuspenseQuery } from '@tanstack/react-query'
import type { OutputOf } from './call-operation.ts'
import { send } from './send.ts'

export type Plan = OutputOf<'get_workspace'>['plan']
export type Role = OutputOf<'get_workspace'>['role']

export interface Workspace {
  readonly id: string
  readonly name: string
  readonly plan: Plan
  readonly role: Role
}

/** GET /api/dashboard/me */
export interface Me {
  readonly user: { readonly id: string; readonly name: string; readonly email: string }
  readonly workspaces: readonly Workspace[]
  readonly default_workspace_id: string | null
  readonly locale: string | null
  readonly limits: {
    readonly body_bytes: number
    readonly file_bytes: number
    readonly text_bytes: number
  }
  /** What the payment provider sells here; nothing where none is configured. */
  readonly for_sale: { readonly plans: readonly Plan[]; readonly packs: readonly number[] }
  /** Where clients reach the service. */
  readonly base_url: string | null
  readonly form_token: string
  readonly version: string
}

export const meQuery = queryOptions({
  queryKey: ['me'],
  queryFn: async ({ signal }) => {
    const response = await send('/me', { signal })
    return (await response.json()) as Me // the service's own type, written down above
  },
  staleTime: 5 * 60_000,
})

/** Who is signed in; the shell has it before any page is shown. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

/** Asks anew: what the switcher shows comes from elsewhere than the operations. */
export function useRefreshMe(): () => Promise<void> {
  const client = useQueryClient()
  return () => client.invalidateQueries(meQuery)
}

/** For what stands outside the shell. */
export function useMeQuery() {
  return useQuery(meQuery)
}
