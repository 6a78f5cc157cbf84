import { z } from 'zod'
import {
  exportAuditEvents,
  recordSystemEvent,
  sealEvents,
  type EventFilter,
} from '#features/audit/index.ts'
import { cliActor } from '#features/identity/index.ts'
import { auditExport, auditFilter } from '#operations/workspaces/audit.ts'
import { runOperation } from '#operations/run-operation.ts'
import type { Context } from '#platform/context.ts'
import { verifyAudit } from './audit-verify.ts'
import { type Command, type Invocation, textOption, UsageError } from './command.ts'
import { explainRefusal } from './explain-failure.ts'
import { withInstance } from './with-instance.ts'
import { formatOption, writeExport } from './write-export.ts'

export const audit: Command = {
  usage:
    'audit export|verify [--format csv|jsonl] [--workspace ID | --all] [--since FILE] [--actor WHO] [--action NAME] [--target ID] [--outcome done|refused] [--from TIME] [--to TIME] [--as EMAIL]',
  help: `
export writes the audit log to standard output, one line per event, newest first. The service may be
running or stopped. Memory use does not grow with the length of the log. JSON Lines end with the
newest link of each chain.

verify checks that no entry was changed, deleted, inserted or moved: of all workspaces, or of one.
It prints what it found; the exit code is 1 if the log was changed. Entries deleted by someone who
also restored an older head are found only with --since.

  --format NAME     csv or jsonl. Default: csv
  --workspace ID    export: another of your workspaces, default: yours. verify: only this one
  --all             Events of all workspaces and of none, such as sign-ins
  --actor WHO       Only this person's events: an id or e-mail address
  --action NAME     Only this operation, such as delete_app
  --target ID       Only events on this record
  --outcome WORD    done or refused
  --from TIME       At this time or later: 2026-01-31T09:00:00Z
  --to TIME         At this time or earlier
  --since FILE      verify: the heads in this export (jsonl) must still be part of their chains
  --as EMAIL        Act as that user, who must be an owner or admin. Default: the owner

  parley audit export --format jsonl --from 2026-01-01T00:00:00Z > audit.jsonl`,
  options: {
    format: { type: 'string' },
    since: { type: 'string' },
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
    if (verb === 'verify') return await verifyAudit(terminal, options)
    if (verb !== 'export') throw new UsageError(`usage is \`parley ${audit.usage}\``)
    const format = formatOption(options)
    if (options.all === true && (options.workspace !== undefined || options.as !== undefined))
      throw new UsageError('--all goes with neither --workspace nor --as')
    return await withInstance(terminal, async ({ ctx }) => {
      const filter = await enter(ctx, options).catch(explainRefusal)
      await sealEvents(ctx)
      await writeExport(terminal.stdout, exportAuditEvents(ctx, filter, format))
      return 0
    })
  },
}

const filters = z.object(auditFilter)

/** A user who may list events may export them. `--all` requires only access to the database. */
async function enter(ctx: Context, options: Invocation['options']): Promise<EventFilter> {
  const { actor: who, action, target, outcome, from, to, workspace } = options
  const wanted = { actor: who, action, target, outcome, from, to }
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
  const actor = await cliActor(ctx, textOption(options, 'as'))
  await runOperation(ctx, actor, auditExport(entered.resolve), input)
  return await entered.promise
}
