import { z } from 'zod'
import { exportAuditEvents } from '#features/audit/index.ts'
import { exportConversations } from '#features/conversations/index.ts'
import { exportFormats, type ExportFormat } from '#kernel/csv-line.ts'
import { auditExport } from '#operations/workspaces/audit.ts'
import { appId, varyOperation, moment, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'
import { dashboardOperation } from './run-named-operation.ts'

const types: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

interface Export {
  readonly format: ExportFormat
  readonly text: AsyncIterable<string>
}

/** Answers with a file that is sent while it is read. */
function sendExport(c: Http, name: string, { format, text }: Export): Response {
  c.header('Content-Type', types[format])
  c.header('Content-Disposition', `attachment; filename="${name}.${format}"`)
  return c.body(ReadableStream.from(text).pipeThrough(new TextEncoderStream()))
}

/**
 * GET /api/dashboard/audit-log?format=csv: all events that list_audit_events lists, with its
 * filters. The export is an event of its own.
 */
export async function sendAuditLog(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const begun = Promise.withResolvers<Export>()
  const operation = auditExport((filter, format) =>
    begun.resolve({ format, text: exportAuditEvents(ctx, filter, format) }),
  )
  await runOperation(ctx, actor, operation, c.req.query(), c.req.raw.signal)
  return sendExport(c, 'audit-log', await begun.promise)
}

/**
 * GET /api/dashboard/agents/{appId}/conversations?format=csv&from=…&to=…&end_user=…: every message of
 * the conversations that began in a period, of everybody or of one end user. A person who may list conversations may export them; the
 * audit log records who did.
 */
export async function sendConversations(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const begun = Promise.withResolvers<Export>()
  const input = { ...c.req.query(), app_id: c.req.param('appId') }
  await runOperation(ctx, actor, conversationExport(begun.resolve), input, c.req.raw.signal)
  return sendExport(c, 'conversations', await begun.promise)
}

/** list_conversations with its checks and its audit entry; the messages are read as they are sent. */
function conversationExport(begin: (begun: Export) => void): Operation {
  return varyOperation(dashboardOperation('list_conversations'), {
    name: 'export_conversations',
    input: z.object({
      app_id: appId,
      format: z.enum(exportFormats).default('csv'),
      from: moment.optional(),
      to: moment.optional(),
      end_user: z.string().min(1).max(512).optional(),
    }),
    output: z.strictObject({}),
    async run(ctx, { workspaceId, record }, { app_id, end_user: endUser, ...wanted }) {
      const of = { ...wanted, appId: app_id, endUser }
      const text = await exportConversations(ctx, workspaceId, of)
      await record(app_id)
      begin({ format: wanted.format, text })
      return {}
    },
  })
}
