import { createReadStream } from 'node:fs'
import { rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#config'
import { openStore, putChecked, type StoreConfig } from '#platform/object-store/open-store.ts'
import { namesIn } from './names-in.ts'

export type PlaceConfig = Pick<Config, 'backupDir' | 'dataDir'> &
  StoreConfig & { readonly backupTo?: Config['backupTo'] | undefined }

/** Where the backups of the service are: a folder, or a store of objects. */
export interface BackupPlace {
  /** For people. */
  readonly name: string
  addressOf(name: string): string
  /** Names of all files there. */
  list(): Promise<readonly string[]>
  remove(name: string): Promise<void>
  /** Takes a complete and checked file of the folder; null when backups stay in the folder. */
  readonly send: ((name: string, file: string) => Promise<void>) | null
}

/** The folder of backups, and of those that are not yet in the store. */
export function backupFolder({
  backupDir,
  dataDir,
}: Pick<Config, 'backupDir' | 'dataDir'>): string {
  return resolve(backupDir ?? join(dataDir, 'backups'))
}

export function backupPlace(config: PlaceConfig): BackupPlace {
  const folder = backupFolder(config)
  if (config.backupTo !== undefined) return placeInStore(config, config.backupTo)
  return {
    name: folder,
    addressOf: (name) => join(folder, name),
    list: () => namesIn(folder),
    remove: (name) => rm(join(folder, name), { force: true }),
    send: null,
  }
}

function placeInStore(config: PlaceConfig, address: string): BackupPlace {
  const { store, prefix } = openStore(config, address)
  const name = address.replace(/\/$/, '')
  return {
    name,
    addressOf: (file) => `${name}/${file}`,
    list: async () => (await store.list(prefix)).map((key) => key.slice(prefix.length)),
    remove: (file) => store.remove(prefix + file),
    async send(file, path) {
      const { size } = await stat(path)
      await putChecked(store, prefix + file, { size, bytes: createReadStream(path) })
    },
  }
}
