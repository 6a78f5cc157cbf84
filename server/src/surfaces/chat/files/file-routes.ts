import type { Hono } from 'hono'
import {
  deleteUpload,
  eraseUpload,
  fileFaults,
  findUpload,
  finishUpload,
  listUploads,
  openUpload,
  storeUpload,
  type UploadedFile,
  type UploadPlace,
} from '#features/files/index.ts'
import { Fault } from '#kernel/fault.ts'
import { isNamed } from '#kernel/named-error.ts'
import type { Context } from '#platform/context.ts'
import { contentDisposition } from '#surfaces/http/content-disposition.ts'
import type { Http, HttpEnvironment } from '#surfaces/http/environment.ts'
import { invalid } from '#surfaces/chat/chat-request-faults.ts'
import { readMultipart, type FormFile } from './read-multipart.ts'
import { listShape } from '#surfaces/chat/responses/read-responses.ts'
import { readUser } from '#surfaces/chat/read-request.ts'
import { readIdOrNone, readWireId, wireId } from '#surfaces/chat/responses/wire-ids.ts'

type Handle = (ctx: Context, c: Http, place: UploadPlace) => Promise<Response>

/** Files under the paths of OpenAI's API. */
export function addFileRoutes(
  app: Hono<HttpEnvironment>,
  on: (handle: Handle) => (c: Http) => Promise<Response>,
): void {
  app.post('/files', on(upload))
  app.get('/files', on(list))
  app.get('/files/:id', on(retrieve))
  app.get('/files/:id/content', on(download))
  app.delete('/files/:id', on(remove))
}

/** What a form has besides its file: names of fields, headers of parts, and boundaries. */
const formBytes = 16_384

const upload: Handle = async (ctx, c, place) => {
  const declared = c.req.header('content-length')
  const mostBytes = declared === undefined ? null : Number(declared)
  const limitBytes = ctx.config.maxChatFileBytes
  if (mostBytes !== null && mostBytes > limitBytes + formBytes)
    throw new Fault(fileFaults.file_too_large, { at: 'file', limitBytes })
  const release = await takeSlot(ctx, place, c.req.raw.signal)
  let id: string | null = null
  try {
    const fields = await readMultipart(c.req.raw, async ({ field, bytes, ...file }: FormFile) => {
      if (field !== 'file') throw invalid('The file of the form must be its field `file`')
      const mediaType = file.mediaType === 'application/octet-stream' ? null : file.mediaType
      const filename = file.filename.slice(0, longestName)
      id = await storeUpload(ctx, place, { filename, mediaType, mostBytes, bytes })
    })
    const about = readAbout(fields)
    if (id === null) throw invalid('`file` is required and must be a file with a name')
    return c.json(shapeOf(await finishUpload(ctx, id, about)))
  } catch (error) {
    if (id !== null) await eraseUpload(ctx, id)
    throw error
  } finally {
    release()
  }
}

/** UTF-16 code units. */
const longestName = 255

async function takeSlot(
  { uploadSlots }: Context,
  { workspaceId }: UploadPlace,
  signal: AbortSignal,
): Promise<() => void> {
  try {
    return await uploadSlots.acquire(workspaceId, signal)
  } catch (error) {
    if (!isNamed<Error>(error, 'SlotsBusy')) throw error
    throw new Fault(fileFaults.files_busy, { retryAfterSeconds: 10 }, { cause: error })
  }
}

/** Those of OpenAI's purposes that Parley has a use for. */
const purposes = ['assistants', 'user_data', 'vision']

function readAbout(fields: ReadonlyMap<string, string>) {
  for (const name of fields.keys())
    if (!['purpose', 'user', anchorField, secondsField].includes(name))
      throw invalid(`\`${name.slice(0, 100)}\` is not a field of this request`)
  const purpose = fields.get('purpose') ?? ''
  if (!purposes.includes(purpose))
    throw invalid(`\`purpose\` is required and must be one of ${purposes.join(', ')}`)
  return { purpose, lifetimeMs: readLifetime(fields), endUser: readUser(fields.get('user')) }
}

const [anchorField, secondsField] = ['expires_after[anchor]', 'expires_after[seconds]'] as const
/** OpenAI's: an hour to thirty days. */
const [leastSeconds, mostSeconds] = [3_600, 2_592_000]

function readLifetime(fields: ReadonlyMap<string, string>): number | null {
  const [anchor, seconds] = [fields.get(anchorField), fields.get(secondsField)]
  if (anchor === undefined && seconds === undefined) return null
  if (anchor !== 'created_at') throw invalid('`expires_after.anchor` must be created_at')
  const lifetime = /^\d{1,9}$/.test(seconds ?? '') ? Number(seconds) : 0
  if (lifetime < leastSeconds || lifetime > mostSeconds)
    throw invalid(`\`expires_after.seconds\` must be from ${leastSeconds} to ${mostSeconds}`)
  return lifetime * 1000
}

const list: Handle = async (ctx, c, place) => {
  const { limit = '10000', order = 'desc', after = '', purpose = '' } = c.req.query()
  if (!/^\d{1,5}$/.test(limit) || Number(limit) < 1 || Number(limit) > 10_000)
    throw invalid('`limit` must be a number from 1 to 10000')
  if (order !== 'asc' && order !== 'desc') throw invalid('`order` must be asc or desc')
  const last = after === '' ? null : readWireId('file', after)
  if (last === null && after !== '') throw invalid('`after` must be the id of a file')
  const wanted = { limit: Number(limit), order, after: last, purpose: purpose || null } as const
  const { files, hasMore } = await listUploads(ctx, place, wanted)
  return c.json(listShape(files.map(shapeOf), hasMore))
}

const retrieve: Handle = async (ctx, c, place) =>
  c.json(shapeOf(await findUpload(ctx, place, idOf(c))))

/** Always a download, without a type: a browser never runs what a file contains. */
const download: Handle = async (ctx, c, place) => {
  const { filename, byteLength, bytes } = await openUpload(ctx, place, idOf(c))
  c.header('Content-Type', 'application/octet-stream')
  c.header('X-Content-Type-Options', 'nosniff')
  c.header('Content-Disposition', contentDisposition('attachment', filename))
  c.header('Content-Length', String(byteLength))
  return c.body(ReadableStream.from(bytes))
}

const remove: Handle = async (ctx, c, place) => {
  const id = idOf(c)
  await deleteUpload(ctx, place, id)
  return c.json({ id: wireId('file', id), object: 'file', deleted: true })
}

function idOf(c: Http): string {
  return readIdOrNone('file', c.req.param('id') ?? '')
}

function shapeOf({ id, filename, purpose, byteLength, createdAt, expiresAt }: UploadedFile) {
  return {
    id: wireId('file', id),
    object: 'file' as const,
    bytes: byteLength,
    created_at: Math.floor(createdAt / 1000),
    expires_at: Math.floor(expiresAt / 1000),
    filename,
    purpose,
    status: 'processed',
  }
}
