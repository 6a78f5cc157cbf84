import { useDeferredValue } from 'react'
import { basePath } from '#api/base-path.ts'
import { useOperation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { t } from '#texts/t.ts'
import { agentItems, matching, pageItems, type PaletteItem } from './palette-items.ts'

/** How many agents and conversations are offered; more letters narrow them down. */
const most = 6
/** Shorter texts are in nearly every conversation. */
const fewestLetters = 3

/** What fits the typed text; without any, what is near. */
export function usePaletteItems(typed: string, appId: string | undefined): readonly PaletteItem[] {
  const agents = useAgents(typed)
  // Searching messages costs more than the rest: not for every letter.
  const conversations = useConversations(useDeferredValue(typed), appId)
  const near = appId === undefined ? [] : agentItems(appId)
  return [
    ...agents,
    ...matching(near, typed),
    ...matching(pageItems(), typed),
    ...conversations,
    ...helpItems(typed),
  ]
}

function useAgents(typed: string): readonly PaletteItem[] {
  const { id: workspace_id } = useWorkspace()
  // By name, so that the shortest of similar names comes first.
  const query = typed === '' ? {} : ({ query: typed, sort: 'name' } as const)
  const found = useOperation('list_apps', { workspace_id, limit: most, ...query })
  return (found.data?.items ?? []).map(({ id, app_name_id, name }) => ({
    key: id,
    group: 'agents',
    label: name,
    aside: app_name_id,
    link: { to: '/agents/$appId', params: { appId: app_name_id } },
  }))
}

function useConversations(typed: string, appId: string | undefined): readonly PaletteItem[] {
  const input = { app_id: appId ?? '', query: typed, limit: most }
  const enabled = appId !== undefined && typed.length >= fewestLetters
  const found = useOperation('list_conversations', input, { enabled })
  if (appId === undefined || !enabled) return []
  return (found.data?.items ?? []).map((one) => ({
    key: one.id,
    group: 'conversations',
    label: one.question ?? t('palette.untitled'),
    link: {
      to: '/agents/$appId/analytics/conversations/$sessionId',
      params: { appId, sessionId: one.id },
    },
  }))
}

function helpItems(typed: string): readonly PaletteItem[] {
  const docs = { group: 'help', key: 'docs' } as const
  if (typed === '') return [{ ...docs, label: t('palette.docs'), href: `${basePath}/docs` }]
  const href = `${basePath}/docs/search?q=${encodeURIComponent(typed)}`
  return [{ ...docs, label: t('palette.searchDocs', { query: typed }), href }]
}
