import { readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#config'
import { makeDataFolder } from '#platform/data-folder.ts'
import { backupDatabase } from '#platform/db/backup-database.ts'
import type { DatabaseConfig } from '#platform/db/open-database.ts'
import type { CreatedBackup } from './backups.ts'

export type BackupConfig = DatabaseConfig & Pick<Config, 'backupDir' | 'backupKeep'>

const nameOf = /^parley-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/
const unfinished = /^parley-\d{8}T\d{6}Z\.backup\.\d+\.partial/
/** Every unfinished file that is still being written has changed within this time. */
const abandonedMs = 3_600_000

export function backupFolder({
  backupDir,
  dataDir,
}: Pick<Config, 'backupDir' | 'dataDir'>): string {
  return resolve(backupDir ?? join(dataDir, 'backups'))
}

/** Names of the complete backups of a folder, oldest first; none if there is no such folder. */
export async function listBackups(folder: string): Promise<string[]> {
  return (await namesIn(folder)).filter((name) => nameOf.test(name)).toSorted()
}

/** When a backup was begun, in epoch milliseconds. */
export function begunAt(name: string): number {
  const [, ...parts] = nameOf.exec(name) ?? []
  const [year = 0, month = 0, ...rest] = parts.map(Number)
  return Date.UTC(year, month - 1, ...rest)
}

/**
 * Creates and checks a backup in the folder of the configuration, then deletes the oldest ones beyond
 * `BACKUP_KEEP`. A backup that fails deletes none.
 *
 * @throws BackupError, SchemaError, Fault database_unavailable, the system's error
 */
export async function backUpIntoFolder(config: BackupConfig, now: number): Promise<CreatedBackup> {
  const folder = backupFolder(config)
  makeDataFolder(folder)
  await deleteAbandoned(folder, now)
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const file = join(folder, `parley-${stamp}.backup`)
  const { bytes, schema } = await backupDatabase(config, file)
  const deleted = (await listBackups(folder)).slice(0, -config.backupKeep)
  for (const name of deleted) await rm(join(folder, name), { force: true })
  return { file, bytes, schema, deleted }
}

/** A killed process leaves its file behind. */
async function deleteAbandoned(folder: string, now: number): Promise<void> {
  for (const name of (await namesIn(folder)).filter((one) => unfinished.test(one))) {
    const { mtimeMs } = await stat(join(folder, name))
    if (mtimeMs < now - abandonedMs) await rm(join(folder, name), { force: true })
  }
}

/** Deletes what the ended process `pid` has not finished. */
export async function deleteUnfinished(folder: string, pid: number): Promise<void> {
  for (const name of await namesIn(folder))
    if (unfinished.test(name) && name.includes(`.backup.${pid}.partial`))
      await rm(join(folder, name), { force: true })
}

async function namesIn(folder: string): Promise<string[]> {
  try {
    return await readdir(folder)
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
    throw error
  }
}
