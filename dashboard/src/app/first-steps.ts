import { callOperation } from '#api/call-operation.ts'
import { meQuery } from '#api/me.ts'
import { operationKey } from '#api/operation-keys.ts'
import { isAtLeast } from '#api/workspace.ts'
import { queryClient } from './query-client.ts'

/** Whether a person begins with the first steps: until an agent is shared, or they hide them. */
export async function needsFirstSteps(named: string | undefined): Promise<boolean> {
  const me = await queryClient.ensureQueryData(meQuery)
  const find = (id: string | null | undefined) => me.workspaces.find((one) => one.id === id)
  const workspace = find(named) ?? find(me.default_workspace_id) ?? me.workspaces[0]
  if (workspace === undefined || workspace.waits_for_second_factor) return false
  if (!isAtLeast(workspace.role, 'editor')) return false
  const input = { workspace_id: workspace.id }
  try {
    const { hidden, shared } = await queryClient.fetchQuery({
      queryKey: operationKey('get_first_steps', input),
      queryFn: () => callOperation('get_first_steps', input),
    })
    return !hidden && !shared
  } catch {
    // The list of agents shows what is wrong.
    return false
  }
}
