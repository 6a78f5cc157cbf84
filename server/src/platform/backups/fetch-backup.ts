import { createWriteStream } from 'node:fs'
import { basename, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { makeDataFolder } from '#platform/data-folder.ts'
import { withDraft } from '#platform/db/durable-file.ts'
import { openStore } from '#platform/object-store/open-store.ts'
import { backupFolder, type PlaceConfig } from './backup-place.ts'

/**
 * Runs `use` with the file itself, or with a copy of an object that is deleted afterwards.
 *
 * @throws BackupError, ObjectStoreError, and what `use` throws
 */
export async function withLocalFile<T>(
  config: PlaceConfig,
  source: string,
  use: (file: string) => Promise<T>,
): Promise<T> {
  if (!source.startsWith('s3://')) return await use(source)
  const { store, prefix } = openStore(config, source)
  const key = prefix.replace(/\/$/, '')
  const folder = backupFolder(config)
  makeDataFolder(folder)
  return await withDraft(
    join(folder, `${basename(key)}.${process.pid}.partial-download`),
    async (file) => {
      await pipeline(store.get(key), createWriteStream(file, { flags: 'wx', mode: 0o600 }))
      return await use(file)
    },
  )
}
