import { existsSync } from 'node:fs'
import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import { fitTo } from '#platform/db/postgres/fit-pool.ts'
import { schemaStatus, sqliteFile } from '#platform/db/open-database.ts'
import { inspectServer } from '#platform/db/postgres/postgres-server.ts'
import { readMeta } from '#platform/meta.ts'
import { readSecretKey, secretKeyFile } from '#platform/secret-key.ts'
import { createVault } from '#platform/vault.ts'
import { CommandFailure } from '#commands/command.ts'
import type { Finding } from './doctor-finding.ts'
import { checkReplica } from './doctor-replica.ts'
import { explainFailures } from '#commands/explain-failure.ts'
import { withDatabase } from '#commands/with-database.ts'

const isNewer = 'install the newer version of Parley, or restore a backup made before it'
const notYet = 'none yet: the first start creates it'

export async function checkDatabase(config: Config): Promise<readonly Finding[]> {
  if (isMissing(config)) return [{ check: 'database', ok: true, note: notYet }]
  try {
    return await explainFailures(config, async () => {
      await withDatabase(config, (db) => db.ping())
      const engine = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
      const { current, newest, pending, later } = await schemaStatus(config)
      const server = await checkServer(config)
      if (server !== null) return [server]
      const database: Finding = { check: 'database', ok: true, note: `${engine} responds` }
      const note = `version ${current} of ${newest}`
      const fix = 'run `parley migrate`, or start the service'
      if (later.length > 0) return [database, { check: 'schema', ok: false, note, fix: isNewer }]
      const isCurrent = pending.length === 0
      const schema: Finding = { check: 'schema', ok: isCurrent, note, fix }
      return [database, schema, ...(await checkReplica(config))]
    })
  } catch (error) {
    return [failed('database', error, 'restore a backup if it cannot be repaired')]
  }
}

/** Null when PostgreSQL can be used as it is configured. */
async function checkServer(config: Config): Promise<Finding | null> {
  if (config.databaseUrl === undefined) return null
  const { problem } = fitTo(await inspectServer(config.databaseUrl), config)
  if (problem === null) return null
  const [note = '', fix = ''] = problem.split(': ')
  return { check: 'database', ok: false, note, fix }
}

export async function checkSecretKey(config: Config): Promise<readonly Finding[]> {
  const check = 'secret key'
  if (isMissing(config)) return [{ check, ok: true, note: notYet }]
  try {
    const kept = await keptFingerprint(config)
    const key =
      config.secretKey ?? (await explainFailures(config, () => readSecretKey(config.dataDir)))
    const ours = key === undefined ? undefined : createVault(key).fingerprint
    if (kept === undefined) return [{ check, ok: true, note: notYet }]
    if (ours === kept) return [{ check, ok: true, note: `fingerprint ${kept}` }]
    const note = `the database needs ${kept}, but this key is ${ours ?? 'missing'}`
    const fix = `put ${secretKeyFile(config.dataDir)} of this database back, or set SECRET_KEY`
    return [{ check, ok: false, note, fix }]
  } catch (error) {
    if (error instanceof Fault) return [] // The database does not respond, which its own check reports.
    return [failed(check, error, 'repair the database first')]
  }
}

/** Also undefined if the schema is older than the table that stores it. */
async function keptFingerprint(config: Config): Promise<string | undefined> {
  const { current } = await schemaStatus(config)
  if (current === 0) return undefined
  return await withDatabase(config, (db) => readMeta(db.read, 'secret_key_fingerprint'))
}

/** A check must not create an empty database. */
export function isMissing(config: Config): boolean {
  return config.databaseUrl === undefined && !existsSync(sqliteFile(config))
}

function failed(check: string, error: unknown, fix: string): Finding {
  const reason = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CommandFailure)) return { check, ok: false, note: reason, fix }
  // A failure reads `what is wrong: how to fix it`.
  const [note = reason, ...rest] = reason.split(/: (?=[^:]*$)/)
  return { check, ok: false, note, fix: rest.join(': ') || fix }
}
