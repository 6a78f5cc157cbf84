import type { Config } from '#config'
import { agentsWithInvalidModel } from '#features/agents/index.ts'
import { listSecretsWithoutHosts } from '#features/variables/index.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { withDatabase } from '#commands/with-database.ts'
import { isMissing } from './doctor-database.ts'
import type { Finding } from './doctor-finding.ts'

/** Lists what agents were given before a version checked it. */
export async function checkAgents(config: Config): Promise<readonly Finding[]> {
  if (isMissing(config)) return []
  try {
    if ((await schemaStatus(config)).pending.length > 0) return []
    return await withDatabase(config, async (db) => [
      modelFinding(await agentsWithInvalidModel({ db, config })),
      ...secretFindings(await listSecretsWithoutHosts(db.read)),
    ])
  } catch {
    // The database does not respond, which its own check reports.
    return []
  }
}

function modelFinding(
  agents: readonly { readonly appNameId: string; readonly model: string }[],
): Finding {
  const check = 'agent models'
  if (agents.length === 0) return { check, ok: true, note: 'every model id is valid' }
  const named = agents.map(({ appNameId, model }) => `${appNameId} (${model})`)
  const fix = 'give each agent another model, in the dashboard or with `parley call update_app`'
  return { check, ok: false, note: `not valid: ${someOf(named)}`, fix }
}

type Secret = Awaited<ReturnType<typeof listSecretsWithoutHosts>>[number]

/** One finding for each secret: each needs a decision of its own. */
function secretFindings(secrets: readonly Secret[]): readonly Finding[] {
  const check = 'secret hosts'
  if (secrets.length === 0) return [{ check, ok: true, note: 'every secret names its hosts' }]
  return secrets.map(({ appNameId, name, hosts, isDeleted }) => {
    const secret = `${appNameId} ${name}${isDeleted ? ' (of a deleted agent)' : ''}`
    const note =
      hosts.length === 0
        ? `${secret} is sent to no host`
        : `${secret} is sent only to ${hosts.join(', ')}, and an action that uses it does not name its host`
    const again =
      'set it again with all its hosts, in the dashboard or with `parley call set_app_variable`'
    const fix = isDeleted ? `if you restore the agent, ${again}` : again
    return { check, ok: false, note, fix }
  })
}

/** The most names in one finding. */
const maxNamed = 20

function someOf(names: readonly string[]): string {
  const more = names.length - maxNamed
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ')
}
