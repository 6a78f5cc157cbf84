import { rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '#config'
import { makeDataFolder } from '#platform/data-folder.ts'
import { backupDatabase, type CopyConfig } from '#platform/db/backup-database.ts'
import type { CheckedCopy } from '#platform/db/sqlite/sqlite-backup.ts'
import { backupFolder, backupPlace, type BackupPlace, type PlaceConfig } from './backup-place.ts'
import type { CreatedBackup } from './backups.ts'
import { namesIn } from './names-in.ts'

export type BackupConfig = CopyConfig & PlaceConfig & Pick<Config, 'backupKeep'>

const nameOf = /^parley-(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z\.backup$/
const unfinished = /^parley-\d{8}T\d{6}Z\.backup\.\d+\.partial/
/** Every unfinished file that is still being written has changed within this time. */
const abandonedMs = 3_600_000

/** Names of the complete backups of a place, oldest first. */
export async function listBackups(place: BackupPlace): Promise<string[]> {
  return (await place.list()).filter((name) => nameOf.test(name)).toSorted()
}

/** When a backup was begun, in epoch milliseconds. */
export function begunAt(name: string): number {
  const [, ...parts] = nameOf.exec(name) ?? []
  const [year = 0, month = 0, ...rest] = parts.map(Number)
  return Date.UTC(year, month - 1, ...rest)
}

/**
 * Creates and checks a backup in the place of the configuration, then deletes the oldest ones beyond
 * `BACKUP_KEEP`. A backup that fails deletes none.
 *
 * @throws BackupError, SchemaError, ObjectStoreError, Fault database_unavailable, the system's error
 */
export async function backUpIntoPlace(config: BackupConfig, now: number): Promise<CreatedBackup> {
  const folder = backupFolder(config)
  const place = backupPlace(config)
  makeDataFolder(folder)
  await deleteAbandoned(folder, now)
  const stamp = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const name = `parley-${stamp}.backup`
  const { bytes, schema } = await create(config, place, name)
  const deleted = (await listBackups(place)).slice(0, -config.backupKeep)
  for (const old of deleted) await place.remove(old)
  return { file: place.addressOf(name), bytes, schema, deleted }
}

/** A backup for a store is first created and checked in the folder. */
async function create(
  config: BackupConfig,
  { send }: BackupPlace,
  name: string,
): Promise<CheckedCopy> {
  const folder = backupFolder(config)
  if (send === null) return await backupDatabase(config, join(folder, name))
  const staged = join(folder, `${name}.${process.pid}.partial-upload`)
  try {
    const checked = await backupDatabase(config, staged)
    await send(name, staged)
    return checked
  } finally {
    await rm(staged, { force: true })
  }
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
