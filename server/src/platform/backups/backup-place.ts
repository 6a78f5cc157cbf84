import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Config } from '#config'
import { createObjectStore } from '#platform/object-store/create-object-store.ts'
import { readPlace, type ObjectStore } from '#platform/object-store/object-store.ts'
import { BackupError } from '#platform/db/sqlite-backup.ts'
import { namesIn } from './names-in.ts'

type StoreVariable =
  | 'backupTo'
  | 's3Endpoint'
  | 's3Region'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 's3TimeoutSeconds'

export type PlaceConfig = Pick<Config, 'backupDir' | 'dataDir'> & {
  readonly [Name in StoreVariable]?: Config[Name] | undefined
}

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
      await store.putFile(prefix + file, path)
      await compare(store, prefix + file, path)
    },
  }
}

/** @throws BackupError when the address or the keys are missing */
export function openStore(
  config: PlaceConfig,
  address: string,
): { store: ObjectStore; prefix: string } {
  const place = readPlace(address)
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config
  if (place === null) throw new BackupError(`${address} is no address such as s3://bucket/folder`)
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new BackupError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required for s3://')
  const { s3Region: region = 'us-east-1', s3TimeoutSeconds = 300 } = config
  const endpoint = config.s3Endpoint ?? `https://s3.${region}.amazonaws.com`
  const timeoutMs = s3TimeoutSeconds * 1_000
  const settings = { endpoint, region, accessKeyId, secretAccessKey, timeoutMs }
  return { store: createObjectStore(place.bucket, settings), prefix: place.prefix }
}

/** Reads the object back: not every store compares the hashes that requests carry. */
async function compare(store: ObjectStore, key: string, file: string): Promise<void> {
  const [sent, stored] = await Promise.all([hashOf(createReadStream(file)), hashOf(store.get(key))])
  if (sent === stored) return
  await store.remove(key)
  throw new BackupError('the store returned other bytes than it was sent')
}

async function hashOf(pieces: AsyncIterable<Uint8Array>): Promise<string> {
  const hash = createHash('sha256')
  for await (const piece of pieces) hash.update(piece)
  return hash.digest('hex')
}
