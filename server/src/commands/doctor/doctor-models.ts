import type { Config } from '#config'
import { environmentAccess } from '#features/providers/index.ts'
import { parseModelId } from '#kernel/model-id.ts'
import { ModelFailure, type Models, type ProviderAccess } from '#platform/models/model.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import { createModels } from '#platform/providers/create-models.ts'
import { providers } from '#platform/providers/providers.ts'
import type { Finding } from './doctor-finding.ts'
import { quietLog } from '#commands/quiet-log.ts'

const timeoutMs = 10_000

/** The variables that configure a provider. Setting the first one turns it on. */
function variablesOf(provider: string): readonly string[] {
  const variables = providers.find(({ name }) => name === provider)?.variables
  return [variables?.apiKey, variables?.baseUrl].flatMap((one) => one?.name ?? [])
}

export function checkDefaultModel(config: Config): readonly Finding[] {
  const check = 'default model'
  const note = config.defaultModel
  const provider = parseModelId(config, config.defaultModel)?.provider ?? ''
  if (environmentAccess(config, provider) !== null) return [{ check, ok: true, note }]
  const [variable] = variablesOf(provider)
  const fix =
    variable === undefined
      ? 'set DEFAULT_MODEL to a model of a configured provider'
      : `set ${variable}, or set DEFAULT_MODEL to another model`
  return [{ check, ok: false, note: `${note}, but ${provider} is not configured`, fix }]
}

/** Lists the models of each provider that the environment configures, which is free of charge. */
export async function checkProviders(config: Config): Promise<readonly Finding[]> {
  const log = quietLog(config)
  const outbound = createOutbound({ allowPrivate: config.outboundAllowPrivate })
  const models = createModels({ config, log, outbound })
  try {
    const remote = [...config.providers.values()].filter(({ models: inside }) => inside === null)
    return await Promise.all(
      remote.flatMap(({ access }) => (access === null ? [] : checkProvider(models, access))),
    )
  } finally {
    await Promise.all([models.close(), outbound.close()])
  }
}

async function checkProvider(models: Models, access: ProviderAccess): Promise<Finding> {
  const check = access.provider
  try {
    const offered = await models.list(access, AbortSignal.timeout(timeoutMs))
    const count = offered.length === 1 ? '1 model' : `${offered.length} models`
    return { check, ok: true, note: `reachable, offers ${count}` }
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    return { check, ok: false, note, fix: fixFor(error, check) }
  }
}

function fixFor(error: unknown, provider: string): string {
  const variables = variablesOf(provider).join(' and ')
  if (!(error instanceof ModelFailure)) return `check that it responds, and check ${variables}`
  if (error.reason === 'rejected') return `it rejects the key: check ${variables}`
  if (error.reason === 'limited') return 'wait until its rate limit allows calls again'
  return `check that it runs and can be reached from here, and check ${variables}`
}
