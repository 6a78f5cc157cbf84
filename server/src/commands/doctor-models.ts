import type { Config } from '#config'
import { environmentAccess, parseModelId } from '#features/providers/index.ts'
import { ModelFailure, type Models, type ProviderAccess } from '#platform/models/model.ts'
import { createOutbound } from '#platform/outbound-http/outbound.ts'
import { createModels } from '#platform/providers/create-models.ts'
import { providers } from '#platform/providers/providers.ts'
import type { Finding } from './doctor-finding.ts'
import { quietLog } from './quiet-log.ts'

const patienceMs = 10_000

/** The variables that configure a provider: the first turns it on, another has a default. */
function variablesOf(provider: string): readonly string[] {
  const variables = providers.find(({ name }) => name === provider)?.variables
  return [variables?.apiKey, variables?.baseUrl].flatMap((one) => one?.name ?? [])
}

export function checkDefaultModel(config: Config): readonly Finding[] {
  const check = 'default model'
  const note = config.defaultModel
  const provider = parseModelId(config.defaultModel)?.provider ?? ''
  if (environmentAccess(config, provider) !== null) return [{ check, ok: true, note }]
  const [variable] = variablesOf(provider)
  const mend =
    variable === undefined
      ? 'set DEFAULT_MODEL to a model of a configured provider'
      : `set ${variable}, or DEFAULT_MODEL to another`
  return [{ check, ok: false, note: `${note}, but ${provider} is not configured`, mend }]
}

/** Asks each provider that the environment configures what it offers: nothing is paid for that. */
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
    const offered = await models.list(access, AbortSignal.timeout(patienceMs))
    const count = offered.length === 1 ? '1 model' : `${offered.length} models`
    return { check, ok: true, note: `reachable, offers ${count}` }
  } catch (error) {
    const note = error instanceof Error ? error.message : String(error)
    return { check, ok: false, note, mend: mendOf(error, check) }
  }
}

function mendOf(error: unknown, provider: string): string {
  const variables = variablesOf(provider).join(' and ')
  if (!(error instanceof ModelFailure)) return `check that it answers, and ${variables}`
  if (error.reason === 'rejected') return `it refuses the key: check ${variables}`
  if (error.reason === 'limited') return 'wait until its limit allows calls again'
  return `check that it runs and can be reached from here, and ${variables}`
}
