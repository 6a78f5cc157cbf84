import type { Config } from '#config'
import type { ObjectContent } from './object-store.ts'
import { openStore, putChecked, type StoreConfig } from './open-store.ts'

/** The bytes of files outside the database. An object is named by its address, `s3://bucket/folder/name`. */
export interface Objects {
  /** Where the bytes of files belong: `s3://bucket/folder`, or null for the database. */
  readonly place: string | null
  /** Stores bytes, and reads them back. @throws ObjectStoreError, and what reading `content` throws */
  put(address: string, content: ObjectContent): Promise<void>
  /** The bytes of an object, in pieces. @throws ObjectStoreError */
  get(address: string): AsyncIterable<Uint8Array>
  /** Does nothing if there is no such object. @throws ObjectStoreError */
  remove(address: string): Promise<void>
}

/** Addresses are complete, so objects of an earlier `FILES_TO` can still be read. */
export function createObjects(config: StoreConfig & Pick<Config, 'filesTo'>): Objects {
  const open = (address: string) => {
    const { store, prefix } = openStore(config, address)
    return { store, key: prefix.replace(/\/$/, '') }
  }
  return {
    place: config.filesTo?.replace(/\/$/, '') ?? null,
    async put(address, content) {
      const { store, key } = open(address)
      await putChecked(store, key, content)
    },
    async *get(address) {
      const { store, key } = open(address)
      yield* store.get(key)
    },
    async remove(address) {
      const { store, key } = open(address)
      await store.remove(key)
    },
  }
}
