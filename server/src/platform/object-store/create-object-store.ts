import { open, type FileHandle } from 'node:fs/promises'
import type { ObjectStore, StoreSettings } from './object-store.ts'
import { ObjectStoreError } from './object-store.ts'
import { createStoreRequests, type StoreRequest } from './store-requests.ts'

/** S3 accepts parts from 5 MiB, and 10,000 of them. */
const partBytes = 16 * 1024 * 1024
const mostParts = 10_000

/** Requests of the S3 API: PutObject, multipart uploads, GetObject, ListObjectsV2, DeleteObject. */
export function createObjectStore(bucket: string, settings: StoreSettings): ObjectStore {
  const send = createStoreRequests(bucket, settings)
  return {
    putFile: (key, file) => putFile(send, key, file),
    async *get(key) {
      const { body } = await send({ method: 'GET', key })
      if (body !== null) yield* body
    },
    list: (prefix) => listKeys(send, prefix),
    async remove(key) {
      const { body } = await send({ method: 'DELETE', key })
      await body?.cancel()
    },
  }
}

type Send = (request: StoreRequest) => Promise<Response>

async function putFile(send: Send, key: string, file: string): Promise<void> {
  await using handle = await open(file)
  const { size } = await handle.stat()
  if (size > partBytes) return await putParts(send, key, { handle, size })
  const { body } = await send({ method: 'PUT', key, body: await readPart(handle, 0, size) })
  await body?.cancel()
}

async function putParts(
  send: Send,
  key: string,
  { handle, size }: { handle: FileHandle; size: number },
): Promise<void> {
  const step = Math.max(partBytes, Math.ceil(size / mostParts))
  const begun = await (await send({ method: 'POST', key, query: { uploads: '' } })).text()
  const uploadId = valueIn(begun, 'UploadId')
  if (uploadId === undefined) throw new ObjectStoreError('the store began no multipart upload')
  try {
    const etags: string[] = []
    for (let at = 0; at < size; at += step) {
      const query = { partNumber: String(etags.length + 1), uploadId }
      const body = await readPart(handle, at, Math.min(step, size - at))
      const response = await send({ method: 'PUT', key, query, body })
      await response.body?.cancel()
      etags.push(response.headers.get('etag') ?? '')
    }
    await complete(send, key, { uploadId, etags })
  } catch (error) {
    // Parts of an unfinished upload cost as much as objects. The error of the upload is the one to report.
    const ended = await send({ method: 'DELETE', key, query: { uploadId } }).catch(() => null)
    await ended?.body?.cancel()
    throw error
  }
}

async function complete(
  send: Send,
  key: string,
  { uploadId, etags }: { uploadId: string; etags: readonly string[] },
): Promise<void> {
  const parts = etags.map(
    (etag, at) => `<Part><PartNumber>${at + 1}</PartNumber><ETag>${etag}</ETag></Part>`,
  )
  const body = Buffer.from(
    `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts.join('')}</CompleteMultipartUpload>`,
  )
  const answer = await (await send({ method: 'POST', key, query: { uploadId }, body })).text()
  // This operation may fail after its status was sent.
  const code = answer.includes('<Error>') ? valueIn(answer, 'Code') : undefined
  if (code !== undefined) throw new ObjectStoreError(`the store ended the upload with ${code}`)
}

async function readPart(handle: FileHandle, at: number, length: number): Promise<Buffer> {
  const bytes = Buffer.alloc(length)
  for (let filled = 0; filled < length;) {
    const { bytesRead } = await handle.read(bytes, filled, length - filled, at + filled)
    if (bytesRead === 0) throw new ObjectStoreError('the file became shorter while it was uploaded')
    filled += bytesRead
  }
  return bytes
}

async function listKeys(send: Send, prefix: string): Promise<string[]> {
  const keys: string[] = []
  const query: Record<string, string> = { 'list-type': '2', prefix }
  for (let isLast = false; !isLast;) {
    const page: string = await (await send({ method: 'GET', key: '', query })).text()
    for (const [, key = ''] of page.matchAll(/<Key>([^<]*)<\/Key>/g)) keys.push(unescaped(key))
    const token = valueIn(page, 'NextContinuationToken')
    isLast = valueIn(page, 'IsTruncated') !== 'true' || token === undefined
    if (token !== undefined) query['continuation-token'] = token
  }
  return keys
}

/** The text of the first element with this name; the answers have no attributes on these. */
function valueIn(xml: string, name: string): string | undefined {
  const [, value] = new RegExp(`<${name}>([^<]*)</${name}>`).exec(xml) ?? []
  return value === undefined ? undefined : unescaped(value)
}

function unescaped(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&')
}
