import { createHash, type Hash } from 'node:crypto'
import type { Config } from '#config'
import { createObjectStore } from './create-object-store.ts'
import {
  ObjectStoreError,
  readPlace,
  type ObjectContent,
  type ObjectStore,
} from './object-store.ts'

type StoreVariable =
  | 's3Endpoint'
  | 's3Region'
  | 's3AccessKeyId'
  | 's3SecretAccessKey'
  | 's3TimeoutSeconds'

export type StoreConfig = { readonly [Name in StoreVariable]?: Config[Name] | undefined }

/** @throws ObjectStoreError when the address or the keys are missing */
export function openStore(
  config: StoreConfig,
  address: string,
): { store: ObjectStore; prefix: string } {
  const place = readPlace(address)
  const { s3AccessKeyId: accessKeyId, s3SecretAccessKey: secretAccessKey } = config
  if (place === null)
    throw new ObjectStoreError(`${address} is no address such as s3://bucket/folder`)
  if (accessKeyId === undefined || secretAccessKey === undefined)
    throw new ObjectStoreError('S3_ACCESS_KEY_ID and S3_SECRET_ACCESS_KEY are required for s3://')
  const { s3Region: region = 'us-east-1', s3TimeoutSeconds = 300 } = config
  const endpoint = config.s3Endpoint ?? `https://s3.${region}.amazonaws.com`
  const timeoutMs = s3TimeoutSeconds * 1_000
  const settings = { endpoint, region, accessKeyId, secretAccessKey, timeoutMs }
  return { store: createObjectStore(place.bucket, settings), prefix: place.prefix }
}

/**
 * Stores bytes and reads the object back: not every store compares the hashes that requests carry.
 *
 * @throws ObjectStoreError also when the store returns other bytes; the object is then removed
 */
export async function putChecked(
  store: ObjectStore,
  key: string,
  { size, bytes }: ObjectContent,
): Promise<void> {
  const sent = createHash('sha256')
  await store.put(key, { size, bytes: hashed(sent, bytes) })
  const stored = createHash('sha256')
  for await (const piece of store.get(key)) stored.update(piece)
  if (sent.digest('hex') === stored.digest('hex')) return
  await store.remove(key)
  throw new ObjectStoreError('the store returned other bytes than it was sent')
}

async function* hashed(hash: Hash, pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const piece of pieces) {
    hash.update(piece)
    yield piece
  }
}
