import { z } from 'zod'
import { openOriginal, type Original } from '#features/ingestion/index.ts'
import { recordId, varyOperation, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'
import { dashboardOperation } from './run-named-operation.ts'

/**
 * GET /api/dashboard/sources/{sourceId}/file: the file of a source as it was uploaded, or the text as
 * it was written, always as a download: a browser never runs what a file contains.
 */
export async function sendFile(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const opened = Promise.withResolvers<Original>()
  const input = { source_id: c.req.param('sourceId') }
  await runOperation(ctx, actor, download(opened.resolve), input, c.req.raw.signal)
  const { filename, byteLength, bytes } = await opened.promise
  c.header('Content-Type', 'application/octet-stream')
  c.header('Content-Disposition', attachment(filename))
  c.header('Content-Length', String(byteLength))
  return c.body(ReadableStream.from(bytes))
}

/** Uses get_knowledge_source for its checks; the bytes are read while they are sent. */
function download(open: (original: Original) => void): Operation {
  return varyOperation(dashboardOperation('get_knowledge_source'), {
    input: z.object({ source_id: recordId }),
    output: z.strictObject({}),
    async run(ctx, { workspaceId }, { source_id }) {
      open(await openOriginal(ctx, workspaceId, source_id))
      return {}
    },
  })
}

/** RFC 6266, with the name in the encoding of RFC 8187. */
function attachment(filename: string): string {
  const name = encodeURIComponent(filename).replace(
    /['()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `attachment; filename*=UTF-8''${name}`
}
