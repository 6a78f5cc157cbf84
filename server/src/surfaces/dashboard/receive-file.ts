import { z } from 'zod'
import { addFileSource, ingestionFaults } from '#features/ingestion/index.ts'
import { Fault } from '#kernel/fault.ts'
import { varyOperation, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'
import { dashboardOperation } from './run-named-operation.ts'

/**
 * POST /api/dashboard/agents/{appId}/files?filename=…: the body is the file, of at most
 * `MAX_FILE_SOURCE_BYTES`. It is read as it arrives, after the person's permission is checked.
 * Answers with the source in the form of get_knowledge_source.
 */
export async function receiveFile(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const limit = ctx.config.maxFileSourceBytes
  const declared = Number(c.req.header('content-length') ?? 0)
  if (declared > limit)
    throw new Fault(ingestionFaults.source_too_large, { bytes: declared, limit_bytes: limit })
  const { app_id: _, ...query } = c.req.query()
  const input = { ...query, app_id: c.req.param('appId') }
  const { signal } = c.req.raw
  const operation = withBody(c.req.raw.body, mediaType(c.req.header('content-type')))
  const { id } = await runOperation(ctx, actor, operation, input, signal)
  const shown = dashboardOperation('get_knowledge_source')
  return c.json(await runOperation(ctx, actor, shown, { source_id: id }, signal), 201)
}

type Bytes = ReadableStream<Uint8Array> | null

/** The operation with its checks and its audit entry, for bytes that are not in its input. */
function withBody(body: Bytes, type: string | undefined): Operation {
  return varyOperation(dashboardOperation('add_knowledge_source'), {
    input: z.object({
      app_id: z.string(),
      filename: z.string().trim().min(1).max(255),
      title: z.string().trim().min(1).max(500).optional(),
    }),
    output: z.strictObject({ id: z.string() }),
    async run(ctx, { workspaceId }, { app_id: appId, filename, title }) {
      const { id } = await addFileSource(ctx, workspaceId, {
        appId,
        filename,
        bytes: body ?? [],
        ...(title === undefined ? {} : { title }),
        ...(type === undefined ? {} : { mediaType: type }),
      })
      return { id }
    },
  })
}

/** Browsers send application/octet-stream for unknown files, so it carries no information. */
function mediaType(header: string | undefined): string | undefined {
  const type = header?.split(';')[0]?.trim().toLowerCase()
  return type === '' || type === 'application/octet-stream' ? undefined : type
}
