import { once } from 'node:events'
import { Writable } from 'node:stream'
import { z } from 'zod'
import {
  exportAuditEvents,
  exportFormats,
  recordSystemEvent,
  type EventFilter,
  type ExportFormat,
} from '#features/audit/index.ts'
import { cliActor } from '#features/identity/index.ts'
import { auditFilter } from '#operations/audit.ts'
import { defineOperation, peopleOnly } from '#operations/operation.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import { UsageError, type Command, type Output } from './command.ts'
import { refusalInWords } from './plain-words.ts'
import { withInstance } from './with-instance.ts'

type Options = Readonly<Record<string, string | boolean | undefined>>

export const audit: Command = {
  usage:
    'audit export [--format csv|jsonl] [--workspace ID | --all] [--actor WHO] [--action NAME] [--target ID] [--outcome done|refused] [--from TIME] [--to TIME] [--as EMAIL]',
  help: `
Writes the audit log to standard output, newest event first: a line for each. It works beside a
running service and without one, and needs no more memory for a long log than for a short one.

  --format NAME     csv or jsonl. Default: csv
  --workspace ID    Another of your workspaces. Default: yours
  --all             Those of every workspace and of none: sign-ins, for example
  --actor WHO       What this person did: an id or e-mail
  --action NAME     One operation, such as delete_app
  --target ID       What was done to this
  --outcome WORD    done or refused
  --from TIME       Then or later: 2026-01-31T09:00:00Z
  --to TIME         Then or before
  --as EMAIL        Act as that user, who must be an owner or admin. Default: the owner

  parley audit export --format jsonl --from 2026-01-01T00:00:00Z > audit.jsonl`,
  options: {
    format: { type: 'string' },
    workspace: { type: 'string' },
    all: { type: 'boolean' },
    actor: { type: 'string' },
    action: { type: 'string' },
    target: { type: 'string' },
    outcome: { type: 'string' },
    from: { type: 'string' },
    to: { type: 'string' },
    as: { type: 'string' },
  },
  maxPositionals: 1,
  async run(terminal, { positionals: [verb], options }) {
    if (verb !== 'export') throw new UsageError(`usage is \`parley ${audit.usage}\``)
    const format = readFormat(options.format)
    if (options.all === true && (options.workspace !== undefined || options.as !== undefined))
      throw new UsageError('--all goes with neither --workspace nor --as')
    return await withInstance(terminal, async ({ ctx }) => {
      const filter = await enter(ctx, options).catch(refusalInWords)
      for await (const text of exportAuditEvents(ctx, filter, format))
        await write(terminal.stdout, text)
      return 0
    })
  },
}

function readFormat(given: Options[string]): ExportFormat {
  const format = exportFormats.find((known) => known === (given ?? 'csv'))
  if (format !== undefined) return format
  throw new UsageError(`--format is one of ${exportFormats.join(', ')}`)
}

const filters = z.object(auditFilter)

/** Who may list the events may export them; whoever can run `--all` can read the database. */
async function enter(ctx: Context, options: Options): Promise<EventFilter> {
  const { actor, action, target, outcome, from, to, workspace } = options
  const wanted = { actor, action, target, outcome, from, to }
  if (options.all === true) {
    const event = { workspaceId: null, action: 'export_audit_events', target: 'all', detail: {} }
    await ctx.db.write((tx) => recordSystemEvent(tx, ctx.clock.now(), event))
    const read = filters.safeParse(wanted)
    if (read.success) return { ...read.data, workspaceId: null }
    const [issue] = read.error.issues
    throw new UsageError(`--${String(issue?.path[0])}: ${issue?.message}`)
  }
  const entered = Promise.withResolvers<EventFilter>()
  const input = { ...wanted, ...(workspace === undefined ? {} : { workspace_id: workspace }) }
  const email = typeof options.as === 'string' ? options.as : undefined
  await runOperation(ctx, await cliActor(ctx, email), exporting(entered.resolve), input)
  return await entered.promise
}

/** What lists the events, as far as its checks and its own record. */
function exporting(entered: (filter: EventFilter) => void) {
  return defineOperation({
    name: 'export_audit_events',
    title: 'Export audit events',
    description: 'Exports what list_audit_events lists.',
    toolset: 'workspace',
    scope: 'workspace:read',
    role: 'admin',
    faces: peopleOnly,
    hints: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    recorded: 'by the verb',
    input: filters,
    output: z.strictObject({}),
    async run(_ctx, call, filter) {
      await call.record(call.workspaceId)
      entered({ ...filter, workspaceId: call.workspaceId })
      return {}
    },
  })
}

/** Waits for a slow reader: otherwise unread output would fill the memory. */
async function write(output: Output, text: string): Promise<void> {
  if (output.write(text) === false && output instanceof Writable) await once(output, 'drain')
}
