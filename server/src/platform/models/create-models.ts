import type { Logger } from 'pino'
import type { Config } from '#config'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import { createPools, type Pools } from '#platform/outbound-http/pools.ts'
import { abilitiesOf } from './abilities.ts'
import { createAiSdk, isAiSdkProvider } from './ai-sdk.ts'
import { countUsage } from './count-tokens.ts'
import { extractive } from './extractive.ts'
import { ModelFailure, type ModelAdapter, type ModelRequest, type Models } from './model.ts'
import { createOpenAiCompatible } from './openai-compatible.ts'
import { aiSdkBaseUrl, openAiBaseUrl, type ProviderAddresses } from './provider-addresses.ts'
import type { DispatcherOf } from './provider-exchange.ts'
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
  const adapterOf = chooseAdapter(options, pools)

  function logFailure({ access: { provider }, model }: ModelRequest, error: unknown): void {
    if (!(error instanceof ModelFailure)) return
    const { reason, message: detail } = error
    options.log.warn({ provider, model, reason, detail }, 'A model call failed.')
  }

  return {
    abilities: abilitiesOf,
    countUsage,
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

function chooseAdapter(
  { config, outbound }: ModelsOptions,
  pools: Pools,
): (request: ModelRequest) => ModelAdapter {
  const timeouts = {
    firstByteTimeoutMs: config.modelFirstByteTimeoutMs,
    idleTimeoutMs: config.modelIdleTimeoutMs,
  }
  const trusted: DispatcherOf = (url) => pools.forOrigin(url.origin)
  const untrusted: DispatcherOf = (url) => outbound.dispatcher(url)
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

/** An address that no person typed comes from the environment or is the provider's own. */
function isTrusted({ trusted, baseUrl }: ModelRequest['access']): boolean {
  return trusted || baseUrl === null
}

/** The same iterable with an eye on its errors; a generator around it would cost every batch. */
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
