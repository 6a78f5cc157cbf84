import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { listProviders } from './store.ts'

/** A provider as the settings show it: never with its key. */
export interface ListedProvider {
  readonly provider: string
  /** Who configured it; null for one that is known but not set up. */
  readonly setBy: 'workspace' | 'environment' | null
  readonly baseUrl: string | null
  readonly hasKey: boolean
  /** False for one that a workspace added by a name of its own. */
  readonly builtIn: boolean
}

/** The built-in providers and the workspace's own, by name. */
export async function listProviderSettings(
  ctx: Pick<Context, 'db' | 'config'>,
  workspaceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ListedProvider>> {
  const after = readCursor(cursor, z.string()) ?? ''
  const { providers } = ctx.config
  const own = await listProviders(ctx.db.read, workspaceId)
  const names = new Set([...providers.keys(), ...own.map(({ provider }) => provider)])
  const rows = [...names].filter((name) => name > after).sort()
  const item = (provider: string): ListedProvider => {
    const configured = providers.get(provider)
    const builtIn = configured !== undefined
    const row = own.find((one) => one.provider === provider)
    if (row !== undefined) {
      const hasKey = row.api_key_sealed !== null
      return { provider, setBy: 'workspace', baseUrl: row.base_url, hasKey, builtIn }
    }
    // The operator's own address may reveal the inside of their network: it is not shown.
    const access = configured?.access ?? null
    const setBy = access === null ? null : 'environment'
    const hasKey = access !== null && access.apiKey !== null
    return { provider, setBy, baseUrl: null, hasKey, builtIn }
  }
  return pageOf(rows, limit, { key: (name) => name, item })
}
