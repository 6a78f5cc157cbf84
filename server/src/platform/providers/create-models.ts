import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import { createPools } from '#platform/outbound-http/pools.ts'
import { abilitiesOf } from './abilities.ts'
import { createAiSdk, isAiSdkProvider } from '#platform/providers/ai-sdk/ai-sdk.ts'
import { embedWithAiSdk } from '#platform/providers/ai-sdk/embed-with-ai-sdk.ts'
import { embedWithOpenAi } from '#platform/providers/openai-format/embed-with-open-ai.ts'
import { countUsage } from '#platform/models/count-tokens.ts'
import { extractive } from '#platform/providers/extractive/extractive.ts'
import { listProviderModels } from './list-provider-models.ts'
import {
  ModelFailure,
  type Embeddings,
  type EmbeddingRequest,
  type ModelAdapter,
  type ModelRequest,
  type Models,
  type ProviderAccess,
} from '#platform/models/model.ts'
import { createOpenAiCompatible } from '#platform/providers/openai-format/openai-compatible.ts'
import { aiSdkBaseUrl, openAiBaseUrl, type ProviderAddresses } from './provider-addresses.ts'
import type { DispatcherOf, ProviderTimeouts } from './provider-exchange.ts'
import { createProviderFetch } from './provider-fetch.ts'

export interface ModelsOptions {
  readonly config: ProviderAddresses &
    Pick<Config, 'modelConnectTimeoutMs' | 'modelFirstByteTimeoutMs' | 'modelIdleTimeoutMs'>
  readonly log: Pick<Logger, 'warn'>
  /** Takes the calls to addresses that a person typed. */
  readonly outbound: Pick<Outbound, 'dispatcher'>
}

/**
 * The models of this process: `local` answers by itself, `anthropic` and `google` go through the AI
 * SDK, every other provider speaks OpenAI's wire format. Failures are logged here with their
 * detail; callers show no more than their reason.
 */
export function createModels(options: ModelsOptions): Models {
  const pools = createPools({ connectTimeoutMs: options.config.modelConnectTimeoutMs })
  const dispatchers: Dispatchers = {
    trusted: (url) => pools.forOrigin(url.origin),
    untrusted: (url) => options.outbound.dispatcher(url),
  }
  const timeouts = {
    firstByteTimeoutMs: options.config.modelFirstByteTimeoutMs,
    idleTimeoutMs: options.config.modelIdleTimeoutMs,
  }
  const adapterOf = chooseAdapter(options.config, dispatchers, timeouts)
  const embed = chooseEmbedder(options.config, dispatchers, timeouts)

  function logFailure(of: { access: ProviderAccess; model: string }, error: unknown): void {
    if (!(error instanceof ModelFailure)) return
    const { reason, message: detail } = error
    const { provider } = of.access
    options.log.warn({ provider, model: of.model, reason, detail }, 'A model call failed.')
  }

  return {
    abilities: abilitiesOf,
    list(access, signal) {
      if (access.provider === 'local') return Promise.resolve(['extractive'])
      const dispatcherOf = isTrusted(access) ? dispatchers.trusted : dispatchers.untrusted
      const way = { dispatcherOf, addresses: options.config, timeouts, signal }
      const names = listProviderModels(access, way)
      names.catch((error: unknown) => logFailure({ access, model: '(list)' }, error))
      return names
    },
    countUsage,
    embed(request) {
      const embeddings = embed(request)
      embeddings.catch((error: unknown) => logFailure(request, error))
      return embeddings
    },
    complete(request) {
      const answer = adapterOf(request).complete(request)
      answer.catch((error: unknown) => logFailure(request, error))
      return answer
    },
    stream(request) {
      const batches = adapterOf(request).stream(request)
      return watched(batches, (error) => logFailure(request, error))
    },
    close: () => pools.close(),
  }
}

/** An address that the environment gave is dialled as it is, one that a person typed is checked. */
interface Dispatchers {
  readonly trusted: DispatcherOf
  readonly untrusted: DispatcherOf
}

function chooseAdapter(
  config: ProviderAddresses,
  { trusted, untrusted }: Dispatchers,
  timeouts: ProviderTimeouts,
): (request: ModelRequest) => ModelAdapter {
  const fetches = {
    trusted: createProviderFetch(trusted, timeouts),
    untrusted: createProviderFetch(untrusted, timeouts),
  }

  const openAiCompatible = createOpenAiCompatible(
    ({ access }) => ({
      baseUrl: openAiBaseUrl(access, config),
      dispatcherOf: isTrusted(access) ? trusted : untrusted,
    }),
    timeouts,
  )
  const aiSdk = createAiSdk(({ access }) => ({
    baseUrl: aiSdkBaseUrl(access, config),
    fetch: isTrusted(access) ? fetches.trusted : fetches.untrusted,
  }))

  return ({ access: { provider } }) => {
    if (provider === 'local') return extractive
    return isAiSdkProvider(provider) ? aiSdk : openAiCompatible
  }
}

function chooseEmbedder(
  config: ProviderAddresses,
  { trusted, untrusted }: Dispatchers,
  timeouts: ProviderTimeouts,
): (request: EmbeddingRequest) => Promise<Embeddings> {
  // Async, so that a malformed address rejects like any other failure.
  return async (request) => {
    const { access } = request
    const dispatcherOf = isTrusted(access) ? trusted : untrusted
    if (access.provider === 'local' || access.provider === 'anthropic')
      throw new ModelFailure('refused_request', `${access.provider} has no embedding models.`)
    if (!isAiSdkProvider(access.provider))
      return await embedWithOpenAi(
        request,
        { baseUrl: openAiBaseUrl(access, config), dispatcherOf },
        timeouts,
      )
    const fetch = createProviderFetch(dispatcherOf, timeouts)
    return await embedWithAiSdk(request, { baseUrl: aiSdkBaseUrl(access, config), fetch })
  }
}

/** True unless a person typed the address: it is the environment's, or the provider's own. */
function isTrusted({ trusted, baseUrl }: ModelRequest['access']): boolean {
  return trusted || baseUrl === null
}

/**
 * Passes the iterable through and observes its errors; a generator around it would cost every
 * batch.
 */
function watched<T>(
  batches: AsyncIterable<T>,
  onError: (error: unknown) => void,
): AsyncIterable<T> {
  return {
    [Symbol.asyncIterator]() {
      const iterator = batches[Symbol.asyncIterator]()
      return {
        next() {
          const result = iterator.next()
          result.catch(onError)
          return result
        },
        return: () => iterator.return?.() ?? Promise.resolve({ value: undefined, done: true }),
      }
    },
  }
}
