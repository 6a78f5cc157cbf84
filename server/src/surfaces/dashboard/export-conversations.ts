import { z } from 'zod'
import {
  conversationFormats,
  exportConversations,
  type ConversationFormat,
} from '#features/conversations/index.ts'
import { appId, varyOperation, moment, type Operation } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import type { Http } from '#surfaces/http/environment.ts'
import { actingPerson } from './acting-person.ts'
import { dashboardOperation } from './run-named-operation.ts'

const types: Readonly<Record<ConversationFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  jsonl: 'application/jsonl; charset=utf-8',
}

interface Export {
  readonly format: ConversationFormat
  readonly text: AsyncGenerator<string>
}

/**
 * GET /api/dashboard/agents/{appId}/conversations?format=csv&from=…&to=…: every message of the
 * conversations begun in a time, as a file that comes as it is read. Who may list them may have
 * them; the audit log tells who did.
 */
export async function sendConversations(ctx: Context, c: Http): Promise<Response> {
  const actor = await actingPerson(ctx, c)
  const begun = Promise.withResolvers<Export>()
  const input = { ...c.req.query(), app_id: c.req.param('appId') }
  await runOperation(ctx, actor, exported(begun.resolve), input, c.req.raw.signal)
  const { format, text } = await begun.promise
  c.header('Content-Type', types[format])
  c.header('Content-Disposition', `attachment; filename="conversations.${format}"`)
  return c.body(ReadableStream.from(text).pipeThrough(new TextEncoderStream()))
}

/**
 * list_conversations with its checks and its record, but messages are read later, as they are sent.
 */
function exported(begun: (begun: Export) => void): Operation {
  return varyOperation(dashboardOperation('list_conversations'), {
    name: 'export_conversations',
    input: z.object({
      app_id: appId,
      format: z.enum(conversationFormats).default('csv'),
      from: moment.optional(),
      to: moment.optional(),
    }),
    output: z.strictObject({}),
    async run(ctx, { workspaceId, record }, { app_id, ...wanted }) {
      const text = await exportConversations(ctx, workspaceId, { ...wanted, appId: app_id })
      await record(app_id)
      begun({ format: wanted.format, text })
      return {}
    },
  })
}
