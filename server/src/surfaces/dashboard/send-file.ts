import { z } from 'zod'
import { openOriginal, type Original } from '#features/ingestion/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import { recordId, varyOperation, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import { contentDisposition } from '#surfaces/http/content-disposition.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'
import { dashboardOperation } from './run-named-operation.ts'

/**
 * GET /api/dashboard/sources/{sourceId}/file: the file of a source as it was uploaded, or the text as
 * it was written, always as a download: a browser never runs what a file contains.
 */
export async function sendFile(ctx: Context, c: Http): Promise<Response> {
  const { filename, byteLength, bytes } = await originalOf(ctx, c)
  c.header('Content-Type', 'application/octet-stream')
  c.header('Content-Disposition', contentDisposition('attachment', filename))
  c.header('Content-Length', String(byteLength))
  return c.body(ReadableStream.from(bytes))
}

/** For browsers that would take the file for a page: it has no origin and loads nothing (decision 57). */
const pdfPolicy = "default-src 'none'; frame-ancestors 'none'; sandbox allow-scripts"

/**
 * GET /api/dashboard/sources/{sourceId}/pdf: a PDF for the browser's own viewer, which opens it at the
 * page that the fragment names. Other files are not found here, whatever they are called.
 */
export async function showPdf(ctx: Context, c: Http): Promise<Response> {
  const { filename, byteLength, bytes } = await originalOf(ctx, c)
  const { value: first } = await bytes.next()
  if (first === undefined || !isPdf(first)) {
    await bytes.return(undefined)
    throw new Fault(commonFaults.record_not_found)
  }
  c.header('Content-Type', 'application/pdf')
  c.header('Content-Disposition', contentDisposition('inline', filename))
  c.header('Content-Length', String(byteLength))
  c.header('Content-Security-Policy', pdfPolicy)
  c.header('Referrer-Policy', 'no-referrer')
  return c.body(ReadableStream.from(after(first, bytes)))
}

function isPdf(bytes: Uint8Array): boolean {
  return Buffer.from(bytes.subarray(0, 5)).toString('latin1') === '%PDF-'
}

async function* after(first: Uint8Array, rest: AsyncGenerator<Uint8Array>) {
  yield first
  yield* rest
}

async function originalOf(ctx: Context, c: Http): Promise<Original> {
  const actor = await actingPerson(ctx, c)
  const opened = Promise.withResolvers<Original>()
  const input = { source_id: c.req.param('sourceId') }
  await runOperation(ctx, actor, download(opened.resolve), input, c.req.raw.signal)
  return await opened.promise
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
