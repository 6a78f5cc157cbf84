import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { causeOf, type ConnectionCause } from './connection-cause.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { workspaceAccess } from './resolve-provider.ts'
import { listProviders } from './store.ts'

interface OfferedModel {
  /** `<provider>/<name>`, as agents name it. */
  readonly id: string
  readonly provider: string
  /** The provider's own name for it. */
  readonly name: string
  /** True for the model of new agents. */
  readonly default: boolean
  readonly vision: boolean
  readonly audio: boolean
  readonly tools: boolean
}

export interface OfferedModels extends Page<OfferedModel> {
  /** Providers that are configured but did not list their models. */
  readonly problems: readonly { readonly provider: string; readonly cause: ConnectionCause }[]
}

/** A person waits for the list: a provider that takes longer is reported instead. */
const listingTimeoutMs = 5000

/**
 * The models that the workspace's providers list, by id. The providers are asked every time,
 * because their lists change without notice.
 */
export async function listModels(
  ctx: Pick<Context, 'db' | 'vault' | 'config' | 'models'>,
  workspaceId: string,
  request: PageRequest & { readonly provider?: string | undefined },
): Promise<OfferedModels> {
  const after = readCursor(request.cursor, z.string())
  const reachable = await reachableProviders(ctx, workspaceId)
  const asked = reachable.filter(
    ({ provider }) => request.provider === undefined || provider === request.provider,
  )
  const answers = await Promise.all(asked.map((access) => ask(ctx, access)))
  const ids = new Set(answers.flatMap(({ ids }) => ids))
  // The default is listed even if its provider does not list it, or cannot be asked just now.
  const { defaultModel } = ctx.config
  if (asked.some(({ provider }) => provider === parseModelId(ctx.config, defaultModel)?.provider))
    ids.add(defaultModel)
  const rows = [...ids].sort().filter((id) => after === undefined || id > after)
  const page = pageOf(rows, request.limit, { key: (id) => id, item: (id) => describe(ctx, id) })
  return { ...page, problems: answers.flatMap(({ problems }) => problems) }
}

async function reachableProviders(
  ctx: Pick<Context, 'db' | 'vault' | 'config'>,
  workspaceId: string,
): Promise<ProviderAccess[]> {
  const own = await listProviders(ctx.db.read, workspaceId)
  const fromEnvironment = [...ctx.config.providers]
    .filter(([name]) => !own.some(({ provider }) => provider === name))
    .map(([, { access }]) => access)
  const accesses = [...fromEnvironment, ...own.map((row) => workspaceAccess(ctx, row))]
  return accesses.filter((access) => access !== null)
}

async function ask({ models }: Pick<Context, 'models'>, access: ProviderAccess) {
  const { provider } = access
  try {
    const names = await models.list(access, AbortSignal.timeout(listingTimeoutMs))
    return { ids: names.map((name) => `${provider}/${name}`), problems: [] }
  } catch (error) {
    return { ids: [], problems: [{ provider, cause: causeOf(error) }] }
  }
}

function describe(ctx: Pick<Context, 'config' | 'models'>, id: string): OfferedModel {
  const { provider, model: name } = parseModelId(ctx.config, id) ?? { provider: '', model: id }
  const { vision, audio, tools } = ctx.models.abilities(provider, name)
  return { id, provider, name, default: id === ctx.config.defaultModel, vision, audio, tools }
}
