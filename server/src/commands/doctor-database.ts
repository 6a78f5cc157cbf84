import { existsSync } from 'node:fs'
import type { Config } from '#config'
import { Fault } from '#kernel/fault.ts'
import { openDatabase, schemaStatus, sqliteFile } from '#platform/db/open-database.ts'
import { readMeta } from '#platform/meta.ts'
import { readSecretKey, secretKeyFile } from '#platform/secret-key.ts'
import { createVault } from '#platform/vault.ts'
import { CommandFailure } from './command.ts'
import type { Finding } from './doctor-finding.ts'
import { explainFailures } from './explain-failure.ts'
import { quietLog } from './quiet-log.ts'

const notYet = 'none yet: the first start makes it'

export async function checkDatabase(config: Config): Promise<readonly Finding[]> {
  if (isMissing(config)) return [{ check: 'database', ok: true, note: notYet }]
  try {
    return await explainFailures(config, async () => {
      await askDatabase(config)
      const engine = config.databaseUrl === undefined ? 'SQLite' : 'PostgreSQL'
      const { current, newest, pending } = await schemaStatus(config)
      const database: Finding = { check: 'database', ok: true, note: `${engine} answers` }
      const note = `version ${current} of ${newest}`
      const mend = 'run `parley migrate`, or start the service'
      const isCurrent = pending.length === 0
      return [database, { check: 'schema', ok: isCurrent, note, mend }]
    })
  } catch (error) {
    return [failed('database', error, 'restore a backup if it cannot be mended')]
  }
}

async function askDatabase(config: Config): Promise<void> {
  const db = openDatabase(config, quietLog(config))
  try {
    await db.ping()
  } finally {
    await db.close()
  }
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
    const note = `the database needs ${kept}, and here is ${ours ?? 'none'}`
    const mend = `put ${secretKeyFile(config.dataDir)} of this database back, or set SECRET_KEY`
    return [{ check, ok: false, note, mend }]
  } catch (error) {
    if (error instanceof Fault) return [] // The database does not answer: its own check tells.
    return [failed(check, error, 'mend the database first')]
  }
}

/** Undefined also where the schema is older than the table that keeps it. */
async function keptFingerprint(config: Config): Promise<string | undefined> {
  const { current } = await schemaStatus(config)
  if (current === 0) return undefined
  const db = openDatabase(config, quietLog(config))
  try {
    return await readMeta(db.read, 'secret_key_fingerprint')
  } finally {
    await db.close()
  }
}

/** Asking must not make an empty database. */
function isMissing(config: Config): boolean {
  return config.databaseUrl === undefined && !existsSync(sqliteFile(config))
}

function failed(check: string, error: unknown, mend: string): Finding {
  const reason = error instanceof Error ? error.message : String(error)
  if (!(error instanceof CommandFailure)) return { check, ok: false, note: reason, mend }
  // `what is wrong: how to mend it`
  const [note = reason, ...rest] = reason.split(/: (?=[^:]*$)/)
  return { check, ok: false, note, mend: rest.join(': ') || mend }
}
