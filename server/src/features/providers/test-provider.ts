import { Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { causeOf, type ConnectionCause } from './connection-cause.ts'
import { providerAddress } from './provider-address.ts'
import { providerFaults } from './provider-faults.ts'
import { resolveProvider } from './resolve-provider.ts'

export interface TestedProvider {
  readonly provider: string
  /** To be tried before they are saved; left out, those that are. */
  readonly baseUrl?: string | undefined
  readonly apiKey?: string | undefined
  /** What the provider calls it: asked for a word if it is not among those that are listed. */
  readonly model?: string | undefined
}

export interface ProviderTest {
  /** Null when all is well. */
  readonly cause: ConnectionCause | null
  /** How many models it lists; null where it lists none. */
  readonly modelCount: number | null
  readonly latencyMs: number
}

/** A person waits for it. */
const patienceMs = 15_000

type Ports = Pick<Context, 'db' | 'vault' | 'config' | 'models' | 'clock'>

/**
 * Tries a provider as a turn would reach it. The list of its models costs nothing; only a model
 * that is not on it is asked for a word.
 *
 * @throws Fault provider_address_invalid, provider_address_required
 */
export async function testProvider(
  ctx: Ports,
  workspaceId: string,
  tested: TestedProvider,
  signal: AbortSignal,
): Promise<ProviderTest> {
  const startedAt = ctx.clock.now()
  const access = await accessOf(ctx, workspaceId, tested)
  const ended = (cause: ConnectionCause | null, modelCount: number | null): ProviderTest => ({
    cause,
    modelCount,
    latencyMs: ctx.clock.now() - startedAt,
  })
  if (access === null) return ended('not_configured', null)
  const listing = await listed(ctx, access, signal)
  const { model } = tested
  if (listing.names === null && (listing.cause !== 'path' || model === undefined))
    return ended(listing.cause, null)
  const count = listing.names?.length ?? null
  if (model === undefined || listing.names?.includes(model) === true) return ended(null, count)
  const cause = await asked(ctx, access, model, signal)
  // It lists models but not this one, and refuses it: the way there is right. Where it has no list,
  // nothing says whether the way or the model is wrong; the way is what people get wrong.
  return ended(cause === 'path' && count !== null ? 'model' : cause, count)
}

/**
 * What was typed, over what is saved, over the provider's own address. A saved key is sent to the
 * saved address only.
 */
async function accessOf(
  ctx: Ports,
  workspaceId: string,
  { provider, baseUrl, apiKey }: TestedProvider,
): Promise<ProviderAccess | null> {
  const saved = await resolveProvider(ctx, workspaceId, provider)
  if (baseUrl !== undefined) {
    const address = providerAddress(baseUrl)
    const isSaved = saved !== null && !saved.trusted && saved.baseUrl === address
    const key = apiKey ?? (isSaved ? saved.apiKey : null)
    return { provider, apiKey: key, baseUrl: address, trusted: false }
  }
  if (saved !== null) return { ...saved, apiKey: apiKey ?? saved.apiKey }
  const ownAddress = ctx.config.providers.get(provider)?.baseUrl ?? null
  if (ownAddress === null) throw new Fault(providerFaults.provider_address_required, { provider })
  return apiKey === undefined ? null : { provider, apiKey, baseUrl: ownAddress, trusted: true }
}

interface Listing {
  readonly names: readonly string[] | null
  readonly cause: ConnectionCause | null
}

async function listed(ctx: Ports, access: ProviderAccess, signal: AbortSignal): Promise<Listing> {
  const patience = AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
  try {
    return { names: await ctx.models.list(access, patience), cause: null }
  } catch (error) {
    return { names: null, cause: orThrow(error) }
  }
}

async function asked(
  ctx: Ports,
  access: ProviderAccess,
  model: string,
  signal: AbortSignal,
): Promise<ConnectionCause | null> {
  try {
    await ctx.models.complete({
      model,
      access,
      messages: [{ role: 'user', content: 'Say: ok' }],
      passages: [],
      temperature: null,
      maxOutputTokens: 16,
      signal: AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]),
    })
    return null
  } catch (error) {
    return orThrow(error)
  }
}

function orThrow(error: unknown): ConnectionCause {
  const cause = causeOf(error)
  if (cause === null) throw error
  return cause
}
