import { mkdir } from 'node:fs/promises'
import { readConfig, type Config } from '#config'
import { restoreSqlite } from '#platform/db/sqlite-backup.ts'
import { readSecretKey } from '#platform/secret-key.ts'
import { createVault } from '#platform/vault.ts'
import { embeddedDatabase, failure, megabytes } from './backup.ts'
import { type Command, UsageError } from './command.ts'
import { inPlainWords } from './plain-words.ts'

export const restore: Command = {
  usage: 'restore FILE [--force]',
  help: `
Puts a backup in place of the embedded database. The backup is checked first; the service must be
stopped. The database that was there is kept under another name.

  --force   Also replace a database that holds something`,
  options: { force: { type: 'boolean' } },
  mostPositionals: 1,
  async run({ environment, stdout, stderr }, { positionals: [source], options }) {
    if (source === undefined)
      throw new UsageError(`name a backup: usage is \`parley ${restore.usage}\``)
    const config = readConfig(environment)
    const instead = 'pg_restore --clean --if-exists --no-owner --dbname="$DATABASE_URL" FILE'
    const file = embeddedDatabase(config, instead)
    const restored = await inPlainWords(config, async () => {
      await mkdir(config.dataDir, { recursive: true, mode: 0o700 })
      const how = { replace: options.force === true, now: Date.now() }
      return restoreSqlite(source, file, how).catch(failure(`${source} was not restored`))
    })
    const { bytes, schema, replaced, keyFingerprint } = restored
    stdout.write(`${source} restored: ${megabytes(bytes)}, schema ${schema}, checked\n`)
    if (replaced !== null) stdout.write(`the database that was there is now ${replaced}\n`)
    if (await needsOtherKey(config, keyFingerprint))
      stderr.write(
        `parley: this backup needs the secret key with fingerprint ${keyFingerprint}: put its secret.key into ${config.dataDir} before the start\n`,
      )
    return 0
  },
}

async function needsOtherKey(config: Config, fingerprint: string | null): Promise<boolean> {
  if (fingerprint === null) return false
  const key = config.secretKey ?? (await readSecretKey(config.dataDir))
  return key === undefined || createVault(key).fingerprint !== fingerprint
}
