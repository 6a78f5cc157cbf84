import { exportAuditEvents, type EventFilter, type ExportFormat } from '#features/audit/index.ts'
import { auditExport } from '#operations/audit.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

interface Export {
  readonly format: ExportFormat
  readonly filter: EventFilter
}

/**
 * GET /api/dashboard/audit-log?format=csv: what list_audit_events lists, whole, with its filters, as
 * a file that comes as it is read; an export is an event of its own.
 */
export async function exportAuditLog(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const begun = Promise.withResolvers<Export>()
  const operation = auditExport((filter, format) => begun.resolve({ filter, format }))
  await runOperation(ctx, actor, operation, c.req.query(), c.req.raw.signal)
  const { filter, format } = await begun.promise
  const text = exportAuditEvents(ctx, filter, format)
  c.header('Content-Type', types[format])
  c.header('Content-Disposition', `attachment; filename="audit-log.${format}"`)
  return c.body(ReadableStream.from(text).pipeThrough(new TextEncoderStream()))
}
