import type { Config } from '#config'
import { agentsWithInvalidModel } from '#features/agents/index.ts'
import { listSecretsWithoutHosts } from '#features/variables/index.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { isMissing, withDatabase } from './doctor-database.ts'
import type { Finding } from './doctor-finding.ts'

/** Lists what agents were given before a version checked it. */
export async function checkAgents(config: Config): Promise<readonly Finding[]> {
  if (isMissing(config)) return []
  try {
    if ((await schemaStatus(config)).pending.length > 0) return []
    return await withDatabase(config, async (db) => [
      modelFinding(await agentsWithInvalidModel({ db, config })),
      secretFinding(await listSecretsWithoutHosts(db.read)),
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

function secretFinding(
  secrets: readonly { readonly appNameId: string; readonly name: string }[],
): Finding {
  const check = 'secret hosts'
  if (secrets.length === 0) return { check, ok: true, note: 'every secret names its hosts' }
  const named = secrets.map(({ appNameId, name }) => `${appNameId} ${name}`)
  const fix =
    'set each secret again with its hosts, in the dashboard or with `parley call set_app_variable`; it is not sent until then'
  return { check, ok: false, note: `without hosts: ${someOf(named)}`, fix }
}

/** The most names in one finding. */
const maxNamed = 20

function someOf(names: readonly string[]): string {
  const more = names.length - maxNamed
  return more > 0 ? `${names.slice(0, maxNamed).join(', ')} and ${more} more` : names.join(', ')
}
