import { existsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { readConfig } from '#config'
import { backupDatabase } from '#platform/db/backup-database.ts'
import { BackupError } from '#platform/db/sqlite-backup.ts'
import { CommandFailure, type Command, UsageError } from './command.ts'
import { explainFailures } from './explain-failure.ts'

export const backup: Command = {
  usage: 'backup FILE [--force]',
  help: `
Copies the database to FILE while the service runs: a consistent snapshot in one file, which is
checked. Keep the secret key too: without it, provider keys cannot be decrypted.

  --force   Overwrite FILE if it exists`,
  options: { force: { type: 'boolean' } },
  maxPositionals: 1,
  async run({ environment, stdout }, { positionals: [target], options }) {
    if (target === undefined)
      throw new UsageError(`name a file: usage is \`parley ${backup.usage}\``)
    const config = readConfig(environment)
    if (existsSync(target) && options.force !== true)
      throw new CommandFailure(`${target} already exists: name another file, or add --force`)
    requireFolder(dirname(target))
    const { bytes, schema } = await explainFailures(config, () =>
      backupDatabase(config, target).catch(failure('the backup failed')),
    )
    stdout.write(`${target}: ${megabytes(bytes)}, schema ${schema}, checked\n`)
    return 0
  },
}

function requireFolder(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailure(`there is no folder ${folder}: create it, or name a file elsewhere`)
}

/** Turns an expected error of a backup or its file into one line. */
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
