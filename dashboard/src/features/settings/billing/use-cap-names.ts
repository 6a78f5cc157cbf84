import { useQuery } from '@tanstack/react-query'
import { callOperation, type ItemOf, type OutputOf } from '#api/call-operation.ts'
import { useMay, useWorkspace } from '#api/workspace.ts'

export type Cap = ItemOf<'list_credit_caps'>

const none: ReadonlyMap<string, string> = new Map()
const pageLength = 100

/**
 * The names of the agents and chat keys with caps, by id. Deleted ones and those that the user may not
 * see have no name.
 */
export function useCapNames(caps: readonly Cap[]): ReadonlyMap<string, string> {
  const workspace = useWorkspace()
  const maySeeKeys = useMay('editor')
  const idsOf = (subject: Cap['subject']) =>
    caps.flatMap((cap) => (cap.subject === subject && cap.subject_id ? [cap.subject_id] : []))
  const agents = idsOf('agent')
  const keys = maySeeKeys ? idsOf('key') : []
  const { data = none } = useQuery({
    queryKey: ['names of caps', workspace.id, agents, keys],
    queryFn: ({ signal }) => readNames(workspace.id, { agents, keys }, signal),
    enabled: agents.length + keys.length > 0,
  })
  return data
}

interface Wanted {
  readonly agents: readonly string[]
  readonly keys: readonly string[]
}

/** Agent by agent until every name is found, because no operation lists the keys of all agents. */
async function readNames(
  workspace_id: string,
  { agents, keys }: Wanted,
  signal: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>()
  const isComplete = () => [...agents, ...keys].every((id) => names.has(id))
  let cursor: string | null = null
  do {
    const input = { workspace_id, limit: pageLength, ...(cursor === null ? {} : { cursor }) }
    const page: OutputOf<'list_apps'> = await callOperation('list_apps', input, signal)
    for (const { id, name } of page.items) {
      if (agents.includes(id)) names.set(id, name)
      if (keys.every((key) => names.has(key))) continue
      const found = await callOperation('list_chat_keys', { app_id: id, limit: pageLength }, signal)
      for (const key of found.items)
        if (keys.includes(key.id)) names.set(key.id, `${name}, ${key.name}`)
    }
    cursor = page.next_cursor
  } while (cursor !== null && !isComplete())
  return names
}
