import { Fault } from '#kernel/fault.ts'
import { type ModelName, parseModelId } from '#kernel/model-id.ts'
import type { Context } from '#platform/context.ts'
import type { ProviderAccess } from '#platform/models/model.ts'
import { causeOf, type ConnectionCause } from './connection-cause.ts'
import { providerAddress } from './provider-address.ts'
import { providerFaults } from './provider-faults.ts'
import { environmentAccess, resolveProvider } from './resolve-provider.ts'

export interface TestedProvider {
  readonly provider: string
  /**
   * Tested before they are saved; if left out, the saved ones are tested. An address of null is the
   * provider's own.
   */
  readonly baseUrl?: string | null | undefined
  readonly apiKey?: string | undefined
  /** The provider's own name for it: called for a word if the provider does not list it. */
  readonly model?: string | undefined
}

export interface ProviderTest {
  /** Null when the provider works. */
  readonly cause: ConnectionCause | null
  /** How many models it lists; null if it has no list. */
  readonly modelCount: number | null
  readonly latencyMs: number
}

type Ports = Pick<Context, 'db' | 'vault' | 'config' | 'models' | 'clock'>

/**
 * Tests a provider the way a turn would reach it. Listing its models costs nothing; only a model
 * that is not on the list is called for a word.
 *
 * @throws Fault provider_address_invalid, provider_address_required, model_unknown
 */
export async function testProvider(
  ctx: Ports,
  workspaceId: string,
  tested: TestedProvider,
  signal: AbortSignal,
): Promise<ProviderTest> {
  const startedAt = ctx.clock.now()
  const model = testedModel(ctx, tested)
  const access = await accessOf(ctx, workspaceId, tested)
  const ended = (cause: ConnectionCause | null, modelCount: number | null): ProviderTest => ({
    cause,
    modelCount,
    latencyMs: ctx.clock.now() - startedAt,
  })
  if (access === null) return ended('not_configured', null)
  const listing = await listed(ctx, access, signal)
  if (listing.names === null && (listing.cause !== 'path' || model === undefined))
    return ended(listing.cause, null)
  const count = listing.names?.length ?? null
  if (model === undefined || listing.names?.includes(model) === true) return ended(null, count)
  const cause = await asked(ctx, access, model, signal)
  // A provider that lists models but refuses this one has the right address. Without a list, either
  // the address or the model can be wrong; people more often get the address wrong.
  return ended(cause === 'path' && count !== null ? 'model' : cause, count)
}

function testedModel(
  { config }: Ports,
  { provider, model }: TestedProvider,
): ModelName | undefined {
  if (model === undefined) return undefined
  const id = `${provider}/${model}`
  const parsed = parseModelId(config, id)
  if (parsed === null) throw new Fault(providerFaults.model_unknown, { model: id })
  return parsed.model
}

/**
 * What was typed, else what is saved, else the provider's own address. A saved key is sent to the
 * saved address only.
 */
async function accessOf(
  ctx: Ports,
  workspaceId: string,
  { provider, baseUrl, apiKey }: TestedProvider,
): Promise<ProviderAccess | null> {
  const saved = await resolveProvider(ctx, workspaceId, provider)
  if (typeof baseUrl === 'string') {
    const address = providerAddress(baseUrl)
    const isSaved = saved !== null && !saved.trusted && saved.baseUrl === address
    const key = apiKey ?? (isSaved ? saved.apiKey : null)
    return { provider, apiKey: key, baseUrl: address, trusted: false }
  }
  // The saved key goes with the saved address, as in set-provider.ts.
  const isGivenUp = baseUrl === null && saved?.trusted === false
  if (saved !== null && !isGivenUp) return { ...saved, apiKey: apiKey ?? saved.apiKey }
  const ownAddress = ctx.config.providers.get(provider)?.baseUrl ?? null
  if (ownAddress === null) throw new Fault(providerFaults.provider_address_required, { provider })
  if (apiKey === undefined) return environmentAccess(ctx.config, provider)
  return { provider, apiKey, baseUrl: ownAddress, trusted: true }
}

async function listed({ models }: Ports, access: ProviderAccess, signal: AbortSignal) {
  try {
    return { names: await models.list(access, patient(signal)), cause: null }
  } catch (error) {
    return { names: null, cause: causeOf(error) }
  }
}

async function asked(
  { models }: Ports,
  access: ProviderAccess,
  model: ModelName,
  signal: AbortSignal,
): Promise<ConnectionCause | null> {
  try {
    await models.complete({
      model,
      access,
      messages: [{ role: 'user', content: 'Say: ok' }],
      passages: [],
      temperature: null,
      maxOutputTokens: 16,
      signal: patient(signal),
    })
    return null
  } catch (error) {
    return causeOf(error)
  }
}

/** A person waits for the result, but not longer than this. */
const patienceMs = 15_000

function patient(signal: AbortSignal): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(patienceMs)])
}
