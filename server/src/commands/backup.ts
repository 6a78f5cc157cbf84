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

  --force   Write over FILE if it is there`,
  options: { force: { type: 'boolean' } },
  maxPositionals: 1,
  async run({ environment, stdout }, { positionals: [target], options }) {
    if (target === undefined)
      throw new UsageError(`name a file: usage is \`parley ${backup.usage}\``)
    const config = readConfig(environment)
    if (existsSync(target) && options.force !== true)
      throw new CommandFailure(`${target} is there already: name another, or add --force`)
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
    throw new CommandFailure(`there is no folder ${folder}: make it, or name a file elsewhere`)
}

/** One line for an expected problem with a backup or its file. */
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
