import { z } from 'zod'
import { pageOf, readCursor, type Page, type PageRequest } from '#kernel/page.ts'
import type { Context } from '#platform/context.ts'
import type { ModelFailure, ModelFailureReason, ProviderAccess } from '#platform/models/model.ts'
import { parseModelId } from './model-id.ts'
import { workspaceAccess } from './resolve-provider.ts'
import { listProviders } from './store.ts'

export interface OfferedModel {
  /** `<provider>/<name>`: what an agent takes. */
  readonly id: string
  readonly provider: string
  /** What the provider itself calls it. */
  readonly name: string
  /** True for the model of new agents. */
  readonly default: boolean
  readonly vision: boolean
  readonly tools: boolean
}

export interface OfferedModels extends Page<OfferedModel> {
  /** Providers that are configured but did not say what they offer. */
  readonly problems: readonly { readonly provider: string; readonly message: string }[]
}

/** A list that a person waits for: a provider that takes longer is reported instead. */
const listingTimeoutMs = 5000

/**
 * What the providers that a workspace can reach say they offer, by id. Asked anew each time: what
 * a provider offers is its own to say.
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
  const ids = new Set(
    answers.flatMap(({ names, provider }) => names.map((n) => `${provider}/${n}`)),
  )
  // The default is listed also when its provider does not list it, or cannot be asked just now.
  const { defaultModel } = ctx.config
  if (asked.some(({ provider }) => provider === parseModelId(defaultModel)?.provider))
    ids.add(defaultModel)
  const rows = [...ids].sort().filter((id) => after === undefined || id > after)
  const page = pageOf(rows, request.limit, { key: (id) => id, item: (id) => describe(ctx, id) })
  return { ...page, problems: answers.flatMap(({ problem }) => problem ?? []) }
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

interface Answer {
  readonly provider: string
  readonly names: readonly string[]
  readonly problem: { readonly provider: string; readonly message: string } | null
}

async function ask(ctx: Pick<Context, 'models'>, access: ProviderAccess): Promise<Answer> {
  const { provider } = access
  try {
    const names = await ctx.models.list(access, AbortSignal.timeout(listingTimeoutMs))
    return { provider, names, problem: null }
  } catch (error) {
    const message = problemOf(error)
    if (message === null) throw error
    return { provider, names: [], problem: { provider, message } }
  }
}

const problems: Readonly<Record<ModelFailureReason, string>> = {
  unreachable: 'It does not answer: check its address, and that it runs.',
  timeout: 'It did not answer in time: check its address, and that it runs.',
  rejected: 'It refused the key: set another.',
  limited: 'It asks to slow down: try again later.',
  bad_answer: 'What it answered is no list of models: check its address.',
  refused_request: 'It has no list of models; give a model by its name.',
}

/** What a person can mend, without the provider's own words; null for an error of ours. */
function problemOf(error: unknown): string | null {
  if (isModelFailure(error)) return problems[error.reason]
  const ranOut = error instanceof Error && error.name === 'TimeoutError'
  return ranOut ? problems.timeout : null
}

// Features import only the types of platform, so the class is told by its name.
function isModelFailure(error: unknown): error is ModelFailure {
  return error instanceof Error && error.name === 'ModelFailure'
}

function describe(ctx: Pick<Context, 'config' | 'models'>, id: string): OfferedModel {
  const { provider, model: name } = parseModelId(id) ?? { provider: '', model: id }
  const { vision, tools } = ctx.models.abilities(provider, name)
  return { id, provider, name, default: id === ctx.config.defaultModel, vision, tools }
}
