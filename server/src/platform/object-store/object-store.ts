/** A store of objects that speaks the S3 API. The operator configures it, so it is reached directly. */
export interface StoreSettings {
  /** Without a path. Buckets are named in the path of a request, which every store supports. */
  readonly endpoint: string
  readonly region: string
  readonly accessKeyId: string
  readonly secretAccessKey: string
  /** Until a response begins, in milliseconds. */
  readonly timeoutMs: number
}

/** Where in a store: `s3://bucket/prefix`. */
export interface StorePlace {
  readonly bucket: string
  /** Empty, or ends with a slash. */
  readonly prefix: string
}

/** `s3://bucket/prefix/key` without the key's part is a place. */
export const placePattern =
  /^s3:\/\/([a-z\d][a-z\d.-]{1,61}[a-z\d])(?:\/((?:[\w.-]+\/)*[\w.-]+)?\/?)?$/

/** Null for another text. */
export function readPlace(address: string): StorePlace | null {
  const [, bucket, path] = placePattern.exec(address) ?? []
  if (bucket === undefined) return null
  return { bucket, prefix: path === undefined ? '' : `${path}/` }
}

/** A request failed; the message has the store's own code, never a credential. */
export class ObjectStoreError extends Error {
  override readonly name = 'ObjectStoreError'
  /** The store's own code, such as `NoSuchKey`; empty if it gave none. */
  readonly code: string

  constructor(message: string, options: ErrorOptions & { readonly code?: string } = {}) {
    super(message, options)
    this.code = options.code ?? ''
  }
}

export interface ObjectContent {
  readonly size: number
  readonly bytes: AsyncIterable<Uint8Array>
}

export interface ObjectStore {
  /** Stores bytes under a key, completely or not at all. Every request carries the SHA-256 of its bytes. */
  put(key: string, content: ObjectContent): Promise<void>
  /** The bytes of an object, in pieces. @throws ObjectStoreError */
  get(key: string): AsyncIterable<Uint8Array>
  /** Keys that begin with `prefix`, in the store's order. */
  list(prefix: string): Promise<string[]>
  /** Does nothing if there is no such object. */
  remove(key: string): Promise<void>
}
