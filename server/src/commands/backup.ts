import { existsSync, statSync } from 'node:fs'
import { constants, setPriority } from 'node:os'
import { dirname } from 'node:path'
import { readConfig, type Config } from '#config'
import { backUpIntoPlace } from '#platform/backups/backup-folder.ts'
import { backupDatabase } from '#platform/db/backup-database.ts'
import { CommandFailure, type Command, type Output } from './command.ts'
import { explainFailures } from './explain-failure.ts'

const lowPriority = constants.priority.PRIORITY_LOW

export const backup: Command = {
  usage: 'backup [FILE] [--force]',
  help: `
Copies the database to FILE while the service runs: a consistent snapshot in one file, which is
checked. Keep the secret key too: without it, provider keys cannot be decrypted. Without FILE, the
backup is created in BACKUP_TO or BACKUP_DIR, and the oldest ones beyond BACKUP_KEEP are deleted.

  --force   Overwrite FILE if it exists`,
  options: { force: { type: 'boolean' } },
  maxPositionals: 1,
  async run({ environment, stdout }, { positionals: [target], options }) {
    const config = readConfig(environment)
    if (target === undefined) return await intoPlace(config, stdout)
    if (existsSync(target) && options.force !== true)
      throw new CommandFailure(`${target} already exists: name another file, or add --force`)
    requireFolder(dirname(target))
    // A service on the same machine comes first.
    setPriority(lowPriority)
    const { bytes, schema } = await explainFailures(config, () =>
      backupDatabase(config, target).catch(failure('the backup failed')),
    )
    stdout.write(`${target}: ${megabytes(bytes)}, schema ${schema}, checked\n`)
    return 0
  },
}

async function intoPlace(config: Config, stdout: Output): Promise<number> {
  const { file, bytes, schema, deleted } = await explainFailures(config, () =>
    backUpIntoPlace(config, Date.now()).catch(failure('the backup failed')),
  )
  stdout.write(`${file}: ${megabytes(bytes)}, schema ${schema}, checked\n`)
  for (const name of deleted) stdout.write(`deleted ${name}\n`)
  return 0
}

function requireFolder(folder: string): void {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory())
    throw new CommandFailure(`there is no folder ${folder}: create it, or name a file elsewhere`)
}

const expected: ReadonlySet<string> = new Set(['BackupError', 'SchemaError', 'ObjectStoreError'])

/** Turns an expected error of a backup or its file into one line. */
export function failure(what: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof Error)) throw error
    const isExpected = expected.has(error.name) || 'syscall' in error
    if (isExpected) throw new CommandFailure(`${what}: ${error.message}`, { cause: error })
    throw error
  }
}

export function megabytes(bytes: number): string {
  return `${(bytes / 1_000_000).toFixed(1)} MB`
}
