import { recordEvent } from '#features/audit/index.ts'
import { exportConversations } from '#features/conversations/index.ts'
import { cliActor } from '#features/identity/index.ts'
import type { Context } from '#platform/context.ts'
import { type Command, type Invocation, textOption, UsageError } from './command.ts'
import { enterAgent } from '#operations/agents/enter-agent.ts'
import { explainRefusal } from './explain-failure.ts'
import { withInstance } from './with-instance.ts'
import { formatOption, writeExport } from './write-export.ts'

export const conversations: Command = {
  usage:
    'conversations export --app APP [--format csv|jsonl] [--from TIME] [--to TIME] [--end-user ID] [--as EMAIL]',
  help: `
Writes every message of an agent's conversations to standard output, one line per message, oldest
conversation first. JSON Lines also have files, citations and calls of actions, which CSV leaves out.
The service may be running or stopped.

  --app APP      The agent: its id or app_name_id
  --format NAME  csv or jsonl. Default: csv
  --from TIME    Conversations started at this time or later: 2026-01-31 or 2026-01-31T09:00:00Z
  --to TIME      Conversations started before this time
  --end-user ID  Conversations of this end user
  --as EMAIL     Act as that user. Default: the owner

  parley conversations export --app helpdesk-10001 --format jsonl > conversations.jsonl`,
  options: {
    app: { type: 'string' },
    format: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    'end-user': { type: 'string' },
    as: { type: 'string' },
  },
  maxPositionals: 1,
  async run(terminal, { positionals: [verb], options }) {
    const appId = textOption(options, 'app')
    if (verb !== 'export' || appId === undefined)
      throw new UsageError(`usage is \`parley ${conversations.usage}\``)
    const wanted = {
      appId,
      format: formatOption(options),
      from: readTime(options, 'from'),
      to: readTime(options, 'to'),
      endUser: textOption(options, 'end-user'),
    }
    const email = textOption(options, 'as')
    return await withInstance(terminal, async ({ ctx }) => {
      const workspaceId = await enter(ctx, appId, email).catch(explainRefusal)
      await writeExport(terminal.stdout, await exportConversations(ctx, workspaceId, wanted))
      return 0
    })
  },
}

function readTime(options: Invocation['options'], name: 'from' | 'to'): number | undefined {
  const given = textOption(options, name)
  if (given === undefined) return undefined
  const at = /^\d{4}-\d{2}-\d{2}/.test(given) ? Date.parse(given) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`--${name} is a time such as 2026-01-31T09:00:00Z`)
  return at
}

/** A user who may list conversations may export them. @throws Fault record_not_found */
async function enter(ctx: Context, appId: string, email: string | undefined): Promise<string> {
  const actor = await cliActor(ctx, email)
  const workspaceId = await enterAgent(ctx, actor, appId, 'viewer')
  const event = { actor, workspaceId, action: 'export_conversations', target: appId }
  await ctx.db.write((tx) => recordEvent(tx, ctx.clock.now(), { ...event, outcome: 'done' }))
  return workspaceId
}
