import { readConfig, type Config } from '#config'
import { shareObjects } from '#features/ingestion/index.ts'
import { withLocalFile } from '#platform/backups/fetch-backup.ts'
import { makeDataFolder } from '#platform/data-folder.ts'
import { restoreDatabase } from '#platform/db/backup-database.ts'
import { schemaStatus } from '#platform/db/open-database.ts'
import { readSecretKey } from '#platform/secret-key.ts'
import { createVault } from '#platform/vault.ts'
import { failure, megabytes } from './backup.ts'
import { UsageError, type Command } from './command.ts'
import { explainFailures } from './explain-failure.ts'
import { makeIndex } from './make-index.ts'
import { withDatabase } from './with-database.ts'

export const restore: Command = {
  usage: 'restore FILE [--force]',
  help: `
Replaces the database with a backup, completely or not at all. The backup is checked first; the
service must be stopped. A SQLite backup can be restored into PostgreSQL, and vice versa.
FILE may be in a store: s3://bucket/folder/parley-20260131T090000Z.backup.

  --force   Also replace a database that is not empty; SQLite's is kept under another name`,
  options: { force: { type: 'boolean' } },
  maxPositionals: 1,
  async run({ environment, stdout, stderr }, { positionals: [source], options }) {
    if (source === undefined)
      throw new UsageError(`name a backup: usage is \`parley ${restore.usage}\``)
    const config = readConfig(environment)
    const restored = await explainFailures(config, async () => {
      const how = { force: options.force === true, now: Date.now() }
      if (config.databaseUrl === undefined) makeDataFolder(config.dataDir)
      return withLocalFile(config, source, (file) => restoreDatabase(config, file, how)).catch(
        failure(`${source} was not restored`),
      )
    })
    await explainFailures(config, () => keepObjects(config))
    const { bytes, schema, replaced, needsIndex, keyFingerprint } = restored
    stdout.write(`${source} restored: ${megabytes(bytes)}, schema ${schema}, checked\n`)
    if (needsIndex) {
      const chunks = await explainFailures(config, () => makeIndex(config, config))
      if (chunks > 0) stdout.write(`${chunks} chunks of knowledge indexed\n`)
    }
    if (replaced !== null) stdout.write(`the previous database is now ${replaced}\n`)
    if (await explainFailures(config, () => needsOtherKey(config, keyFingerprint)))
      stderr.write(
        `parley: this backup needs the secret key with fingerprint ${keyFingerprint}: put its secret.key into ${config.dataDir}, or set SECRET_KEY, before the start\n`,
      )
    return 0
  },
}

/** `0059-file-objects`. */
const firstSchemaWithObjects = 59

/** The service that was backed up may still run, and have its files in the same store. */
async function keepObjects(config: Config): Promise<void> {
  const { current } = await schemaStatus(config)
  if (current < firstSchemaWithObjects) return
  await withDatabase(config, ({ write }) => write(shareObjects))
}

async function needsOtherKey(config: Config, fingerprint: string | null): Promise<boolean> {
  if (fingerprint === null) return false
  const key = config.secretKey ?? (await readSecretKey(config.dataDir))
  return key === undefined || createVault(key).fingerprint !== fingerprint
}
