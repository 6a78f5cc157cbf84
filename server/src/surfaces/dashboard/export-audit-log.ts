import type { Context as HonoContext } from 'hono'
import { z } from 'zod'
import { exportAuditEvents, exportFormats, type ExportFormat } from '#features/audit/index.ts'
import { auditFilter } from '#operations/audit.ts'
import { defineOperation, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { HttpEnvironment } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'
import { dashboardOperation } from './run-named-operation.ts'

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

interface Export {
  readonly format: ExportFormat
  readonly text: AsyncGenerator<string>
}

/**
 * GET /api/dashboard/audit-log?format=csv: what list_audit_events lists, whole, with its filters, as
 * a file that comes as it is read; an export is an event of its own.
 */
export async function exportAuditLog(
  ctx: Context,
  c: HonoContext<HttpEnvironment>,
): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const begun = Promise.withResolvers<Export>()
  await runOperation(ctx, actor, exported(begun.resolve), c.req.query(), c.req.raw.signal)
  const { format, text } = await begun.promise
  c.header('Content-Type', types[format])
  c.header('Content-Disposition', `attachment; filename="audit-log.${format}"`)
  return c.body(ReadableStream.from(text).pipeThrough(new TextEncoderStream()))
}

/**
 * list_audit_events with its checks and its record, but the rows are read later, as they are sent.
 */
function exported(begun: (begun: Export) => void): Operation {
  return defineOperation({
    ...dashboardOperation('list_audit_events'),
    name: 'export_audit_events',
    input: z.object({ ...auditFilter, format: z.enum(exportFormats).default('csv') }),
    output: z.strictObject({}),
    run: async (ctx, { workspaceId, record }, { format, ...filter }) => {
      await record(workspaceId)
      begun({ format, text: exportAuditEvents(ctx, { ...filter, workspaceId }, format) })
      return {}
    },
  })
}
