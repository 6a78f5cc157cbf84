import { existsSync } from 'node:fs'
import { readConfig, type Config } from '#config'
import { sqliteFile } from '#platform/db/open-database.ts'
import { backupSqlite, BackupError } from '#platform/db/sqlite-backup.ts'
import { CommandFailure, type Command, UsageError } from './command.ts'
import { inPlainWords } from './plain-words.ts'

export const backup: Command = {
  usage: 'backup FILE [--force]',
  help: `
Copies the embedded database to FILE while the service runs: as of one moment, complete in one
file, and checked. Keep secret.key of the data folder too; without it provider keys stay sealed.

  --force   Write over FILE if it is there`,
  options: { force: { type: 'boolean' } },
  mostPositionals: 1,
  async run({ environment, stdout }, { positionals: [target], options }) {
    if (target === undefined)
      throw new UsageError(`name a file: usage is \`parley ${backup.usage}\``)
    const config = readConfig(environment)
    const file = embeddedDatabase(config, 'pg_dump --format=custom --file=FILE "$DATABASE_URL"')
    if (!existsSync(file)) throw new CommandFailure(`there is no database in ${config.dataDir} yet`)
    if (existsSync(target) && options.force !== true)
      throw new CommandFailure(`${target} is there already: name another, or add --force`)
    const { bytes, schema } = await inPlainWords(config, () =>
      backupSqlite(file, target).catch(failure('backup failed')),
    )
    stdout.write(`${target}: ${megabytes(bytes)}, schema ${schema}, checked\n`)
    return 0
  },
}

/** @throws CommandFailure with PostgreSQL's own command when that is the database */
export function embeddedDatabase(config: Config, instead: string): string {
  if (config.databaseUrl === undefined) return sqliteFile(config)
  throw new CommandFailure(
    `this is for the embedded database; with DATABASE_URL use PostgreSQL's own tool: ${instead}`,
  )
}

/** One line for what can be wrong with a backup, or with the place of its file. */
export function failure(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error)) throw error
    const isExpected =
      error instanceof BackupError || error.name === 'SchemaError' || 'syscall' in error
    if (isExpected) throw new CommandFailure(`${what}: ${error.message}`, { cause: error })
    throw error
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
