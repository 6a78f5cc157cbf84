import { inPieces } from '#kernel/byte-pieces.ts'
import type { ObjectContent, ObjectStore, StoreSettings } from './object-store.ts'
import { ObjectStoreError } from './object-store.ts'
import { createStoreRequests, type StoreRequest } from './store-requests.ts'

/** S3 accepts parts from 5 MiB, and 10,000 of them. */
const partBytes = 16 * 1024 * 1024
const mostParts = 10_000

/** Requests of the S3 API: PutObject, multipart uploads, GetObject, ListObjectsV2, DeleteObject. */
export function createObjectStore(bucket: string, settings: StoreSettings): ObjectStore {
  const send = createStoreRequests(bucket, settings)
  return {
    put: (key, content) => put(send, key, content),
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

async function put(send: Send, key: string, { size, bytes }: ObjectContent): Promise<void> {
  if (size > partBytes) return await putParts(send, key, { size, bytes })
  const [body = new Uint8Array(), ...rest] = await Array.fromAsync(inPieces(bytes, partBytes))
  requireSize(
    size,
    rest.reduce((sum, piece) => sum + piece.length, body.length),
  )
  const response = await send({ method: 'PUT', key, body })
  await response.body?.cancel()
}

async function putParts(send: Send, key: string, { size, bytes }: ObjectContent): Promise<void> {
  const step = Math.max(partBytes, Math.ceil(size / mostParts))
  const begun = await (await send({ method: 'POST', key, query: { uploads: '' } })).text()
  const uploadId = valueIn(begun, 'UploadId')
  if (uploadId === undefined) throw new ObjectStoreError('the store began no multipart upload')
  try {
    const etags: string[] = []
    let sent = 0
    for await (const body of inPieces(bytes, step)) {
      const query = { partNumber: String(etags.length + 1), uploadId }
      const response = await send({ method: 'PUT', key, query, body })
      await response.body?.cancel()
      etags.push(response.headers.get('etag') ?? '')
      sent += body.length
    }
    requireSize(size, sent)
    await complete(send, key, { uploadId, etags })
  } catch (error) {
    // Parts of an unfinished upload cost as much as objects. The error of the upload is the one to report.
    const ended = await send({ method: 'DELETE', key, query: { uploadId } }).catch(() => null)
    await ended?.body?.cancel()
    throw error
  }
}

/** A file that changes while it is read must not be stored as if it were whole. */
function requireSize(expected: number, sent: number): void {
  if (sent !== expected)
    throw new ObjectStoreError('the bytes changed in number while they were uploaded')
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
