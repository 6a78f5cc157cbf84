import type { Logger } from 'pino'
import type { Config } from '#config'
import { parseModelName, serverModelNames } from '#kernel/model-id.ts'
import { knownProviders, providerLabel, tallies } from '#kernel/tallies.ts'
import { countUsage } from '#platform/models/count-tokens.ts'
import { ModelFailure, type Models, type ProviderAccess } from '#platform/models/model.ts'
import type { Outbound } from '#platform/outbound-http/outbound.ts'
import { createPools } from '#platform/outbound-http/pools.ts'
import type { ReadSchedule } from '#platform/outbound-http/read-schedule.ts'
import { abilitiesOf } from './abilities.ts'
import { openAiFormat } from './openai-format/openai-compatible.ts'
import type { ProviderHttp } from './provider-exchange.ts'
import { providers } from './providers.ts'

export interface ModelsOptions {
  readonly config: Pick<
    Config,
    | 'modelAnswerCharacters'
    | 'modelConnectTimeoutMs'
    | 'modelFirstByteTimeoutMs'
    | 'modelIdleTimeoutMs'
  >
  readonly log: Pick<Logger, 'warn'>
  /** Makes the calls to addresses that a person typed. */
  readonly outbound: Pick<Outbound, 'dispatcher'>
  /** When streams are read; each packet as it arrives by default. */
  readonly schedule?: ReadSchedule
}

function limitsOf(
  config: ModelsOptions['config'],
): Pick<ProviderHttp, 'maxAnswerLength' | 'timeouts'> {
  return {
    maxAnswerLength: config.modelAnswerCharacters,
    timeouts: {
      firstByteTimeoutMs: config.modelFirstByteTimeoutMs,
      idleTimeoutMs: config.modelIdleTimeoutMs,
    },
  }
}

const unknownProvider = { modelNames: serverModelNames }

/**
 * The models of this process. A provider that is not in the list is a workspace's own and speaks
 * OpenAI's wire format. Failures are logged here with their detail; callers show only the reason.
 */
export function createModels({ config, log, outbound, schedule }: ModelsOptions): Models {
  const pools = createPools({ connectTimeoutMs: config.modelConnectTimeoutMs, schedule })
  const http: ProviderHttp = {
    ...limitsOf(config),
    dispatcher: ({ trusted }, url) =>
      trusted ? pools.forOrigin(url.origin) : outbound.dispatcher(url),
  }
  const adapters = new Map(providers.map(({ name, connect }) => [name, connect(http)]))
  const others = openAiFormat(http)
  for (const { name } of providers) knownProviders.add(name)
  const adapterOf = ({ provider }: ProviderAccess) => adapters.get(provider) ?? others

  async function list(access: ProviderAccess, signal: AbortSignal) {
    const { modelNames } = providers.find(({ name }) => name === access.provider) ?? unknownProvider
    const listed = await adapterOf(access).list(access, signal)
    return listed.flatMap((name) => parseModelName(modelNames, name) ?? [])
  }

  function logged<T>(call: Call, answer: Promise<T>): Promise<T> {
    tallies.modelCalls.add(providerLabel(call.access.provider))
    answer.catch((error: unknown) => noteFailure(log, call, error))
    return answer
  }

  return {
    abilities: abilitiesOf,
    enforces(access, format) {
      const provider = providers.find(({ name }) => name === access.provider)
      return provider?.enforces?.(format, access) ?? false
    },
    refusedField(provider, fields) {
      const { refuses = [] } = providers.find(({ name }) => name === provider) ?? {}
      return fields.find((field) => refuses.includes(field)) ?? null
    },
    countUsage,
    list: (access, signal) => logged({ access, model: '(list)' }, list(access, signal)),
    embed(request) {
      const { access } = request
      const refusal = new ModelFailure(
        'refused_request',
        `${access.provider} has no embedding models.`,
      )
      return logged(request, adapterOf(access).embed?.(request) ?? Promise.reject(refusal))
    },
    complete: (request) => logged(request, adapterOf(request.access).complete(request)),
    stream: (request, listener) =>
      logged(request, adapterOf(request.access).stream(request, listener)),
    close: () => pools.close(),
  }
}

interface Call {
  readonly access: ProviderAccess
  readonly model: string
}

function noteFailure(log: ModelsOptions['log'], call: Call, error: unknown): void {
  if (!(error instanceof ModelFailure)) return
  const { reason, message: detail } = error
  const { provider } = call.access
  tallies.modelErrors.add(`${providerLabel(provider)} ${reason}`)
  log.warn({ provider, model: call.model, reason, detail }, 'A model call failed.')
}
