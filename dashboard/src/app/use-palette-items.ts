import { useQuery } from '@tanstack/react-query'
import { basePath } from '#api/base-path.ts'
import type { ItemOf } from '#api/call-operation.ts'
import { useOperation } from '#api/use-operation.ts'
import { useWorkspace } from '#api/workspace.ts'
import { usePaused } from '#components/use-paused.ts'
import { t } from '#texts/t.ts'
import { agentItems, matching, pageItems, type PaletteItem } from './palette-items.ts'

/** How many agents, conversations and pages of the documentation are offered. */
const most = 6
/** Shorter texts are in nearly every conversation. */
const fewestLetters = 3
/** The pause in typing after which messages are searched: that costs more than the rest. */
const pauseMs = 150

/** What fits the typed text; without any, what is near. */
export function usePaletteItems(typed: string, appId: string | undefined): readonly PaletteItem[] {
  const agents = useAgents(typed)
  const conversations = useConversations(usePaused(typed, pauseMs), appId)
  const documentation = useDocumentation(typed)
  const near = appId === undefined ? [] : agentItems(appId)
  return [
    ...agents,
    ...matching(near, typed),
    ...matching(pageItems(), typed),
    ...conversations,
    ...documentation,
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

/** Those of the open agent come first. */
function useConversations(query: string, appId: string | undefined): readonly PaletteItem[] {
  const { id: workspace_id } = useWorkspace()
  const enabled = query.length >= fewestLetters
  const near = useOperation(
    'list_conversations',
    { app_id: appId ?? '', query, limit: most },
    { enabled: enabled && appId !== undefined },
  )
  const all = useOperation('find_conversations', { workspace_id, query, limit: most }, { enabled })
  if (!enabled) return []
  const own = appId === undefined ? [] : (near.data?.items ?? [])
  const others = (all.data?.items ?? []).filter(({ id }) => own.every((one) => one.id !== id))
  return [...own, ...others].slice(0, most).map(conversationItem)
}

function conversationItem(one: ItemOf<'list_conversations'>): PaletteItem {
  const { id, app_name_id: appId } = one
  return {
    key: id,
    group: 'conversations',
    label: one.question === null || one.question === '' ? t('palette.untitled') : one.question,
    aside: appId,
    link: {
      to: '/agents/$appId/analytics/conversations/$sessionId',
      params: { appId, sessionId: id },
    },
  }
}

interface Contents {
  readonly pages: readonly { readonly name: string; readonly title: string }[]
}

/** Pages by their titles, and a search of their texts. */
function useDocumentation(typed: string): readonly PaletteItem[] {
  const contents = useQuery({
    queryKey: ['contents of the documentation'],
    // The service's own static list.
    queryFn: async ({ signal }) =>
      (await (await fetch(`${basePath}/docs/contents.json`, { signal })).json()) as Contents,
    staleTime: Number.POSITIVE_INFINITY,
  })
  const docs = { group: 'help', opensTab: true } as const
  if (typed === '') return [{ ...docs, key: 'docs', label: t('palette.docs'), href: '/docs' }]
  const pages = (contents.data?.pages ?? []).map(({ name, title }): PaletteItem => ({
    ...docs,
    key: `docs ${name}`,
    label: title,
    aside: t('palette.docs'),
    isPart: true,
    href: `/docs/${name}`,
  }))
  const href = `/docs/search?q=${encodeURIComponent(typed)}`
  const search = { ...docs, key: 'docs', label: t('palette.searchDocs', { query: typed }), href }
  return [...matching(pages, typed).slice(0, most), search]
}
