import { once } from 'node:events'
import { Writable } from 'node:stream'
import { recordEvent } from '#features/audit/index.ts'
import { agentWorkspace } from '#features/agents/index.ts'
import {
  conversationFormats,
  exportConversations,
  type ConversationFormat,
} from '#features/conversations/index.ts'
import { cliActor } from '#features/identity/index.ts'
import { roleIn } from '#features/workspaces/index.ts'
import { commonFaults, Fault } from '#kernel/fault.ts'
import type { Context } from '#platform/context.ts'
import { UsageError, type Command, type Output } from './command.ts'
import { refusalInWords } from './plain-words.ts'
import { withInstance } from './with-instance.ts'

type Options = Readonly<Record<string, string | boolean | undefined>>

export const conversations: Command = {
  usage:
    'conversations export --app APP [--format csv|jsonl] [--from TIME] [--to TIME] [--as EMAIL]',
  help: `
Writes every message of an agent's conversations to standard output, oldest conversation first: a line
for each. It works beside a running service and without one.

  --app APP      The agent: its id or app_name_id
  --format NAME  csv or jsonl. Default: csv
  --from TIME    Conversations begun then or later: 2026-01-31 or 2026-01-31T09:00:00Z
  --to TIME      Conversations begun before
  --as EMAIL     Act as that user. Default: the owner

  parley conversations export --app helpdesk-10001 --format jsonl > conversations.jsonl`,
  options: {
    app: { type: 'string' },
    format: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    as: { type: 'string' },
  },
  maxPositionals: 1,
  async run(terminal, { positionals: [verb], options }) {
    if (verb !== 'export' || typeof options.app !== 'string')
      throw new UsageError(`usage is \`parley ${conversations.usage}\``)
    const wanted = {
      appId: options.app,
      format: readFormat(options.format),
      from: readTime(options, 'from'),
      to: readTime(options, 'to'),
    }
    const email = typeof options.as === 'string' ? options.as : undefined
    return await withInstance(terminal, async ({ ctx }) => {
      const workspaceId = await enter(ctx, wanted.appId, email).catch(refusalInWords)
      for await (const text of await exportConversations(ctx, workspaceId, wanted))
        await write(terminal.stdout, text)
      return 0
    })
  },
}

function readFormat(given: Options[string]): ConversationFormat {
  const format = conversationFormats.find((known) => known === (given ?? 'csv'))
  if (format !== undefined) return format
  throw new UsageError(`--format is one of ${conversationFormats.join(', ')}`)
}

function readTime(options: Options, name: 'from' | 'to'): number | undefined {
  const given = options[name]
  if (given === undefined) return undefined
  const at = /^\d{4}-\d{2}-\d{2}/.test(String(given)) ? Date.parse(String(given)) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`--${name} is a time such as 2026-01-31T09:00:00Z`)
  return at
}

/** Who may list conversations may export them; the audit log has it. @throws Fault record_not_found */
async function enter(ctx: Context, appId: string, email: string | undefined): Promise<string> {
  const actor = await cliActor(ctx, email)
  const workspaceId = await agentWorkspace(ctx, appId)
  const role = workspaceId === undefined ? null : await roleIn(ctx, actor.userId, workspaceId)
  if (workspaceId === undefined || role === null) throw new Fault(commonFaults.record_not_found)
  const event = { actor, workspaceId, action: 'export_conversations', target: appId }
  await ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'done' }))
  return workspaceId
}

/** Waits for a slow reader: otherwise unread output would fill the memory. */
async function write(output: Output, text: string): Promise<void> {
  if (output.write(text) === false && output instanceof Writable) await once(output, 'drain')
}
