import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import { builtInProviders, isBuiltIn } from './model-id.ts'
import { environmentAccess } from './resolve-provider.ts'
import { listProviders } from './store.ts'

/** A provider as the settings show it: never with its key. */
export interface ListedProvider {
  readonly provider: string
  /** Where the way to it comes from; null for one that is known but not set up. */
  readonly setBy: 'workspace' | 'environment' | null
  readonly baseUrl: string | null
  readonly hasKey: boolean
  /** False for one that a workspace added by a name of its own. */
  readonly builtIn: boolean
}

/** The providers that every instance knows and the workspace's own, by name. */
export async function listProviderSettings(
  ctx: Pick<Context, 'db' | 'config'>,
  workspaceId: string,
  { limit, cursor }: PageRequest,
): Promise<Page<ListedProvider>> {
  const after = readCursor(cursor, z.string()) ?? ''
  const own = await listProviders(ctx.db.read, workspaceId)
  const names = new Set([...builtInProviders, ...own.map(({ provider }) => provider)])
  const rows = [...names].filter((name) => name > after).sort()
  const item = (provider: string): ListedProvider => {
    const builtIn = isBuiltIn(provider)
    const row = own.find((one) => one.provider === provider)
    if (row !== undefined) {
      const hasKey = row.api_key_sealed !== null
      return { provider, setBy: 'workspace', baseUrl: row.base_url, hasKey, builtIn }
    }
    const access = environmentAccess(ctx.config, provider)
    // The operator's own address may say what is inside their network: it is not shown.
    if (access === null) return { provider, setBy: null, baseUrl: null, hasKey: false, builtIn }
    const hasKey = access.apiKey !== null
    return { provider, setBy: 'environment', baseUrl: null, hasKey, builtIn }
  }
  return pageOf(rows, limit, { key: (name) => name, item })
}
