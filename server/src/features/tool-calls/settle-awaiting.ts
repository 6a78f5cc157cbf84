import type { ModelMessage, ToolCall } from '#platform/models/model.ts'
import { deadlineOf } from './call-record.ts'
import { listAwaiting, takeAwaiting, type AwaitingRow } from './call-store.ts'
import { confirmationQuestion, isConfirmation } from './confirmation.ts'
import type { OfferedTool } from './offered-tool.ts'
import type { Arguments } from './parse-arguments.ts'
import type { ToolboxContext, ToolTurn } from './tool-turn.ts'
import { asMessages, toolMessage, type Toolbox } from './toolbox.ts'

/** How long a question can be answered, in milliseconds. */
const confirmableMs = 60 * 60_000

/**
 * Decides on the calls that the previous answer asked about: a message that confirms them starts them,
 * any other message declines them. Each call is claimed in the database first, so that it is made at
 * most once.
 *
 * @returns the messages that the model reads after the user's message
 */
export async function settleAwaiting(
  ctx: ToolboxContext,
  turn: ToolTurn,
  toolbox: Toolbox,
  signal: AbortSignal,
): Promise<readonly ModelMessage[]> {
  const { sessionId } = turn
  if (sessionId === null || (await listAwaiting(ctx.db.read, sessionId)).length === 0) return []
  const decided = await ctx.db.write(async (tx) => {
    const now = ctx.clock.now()
    const rows = await listAwaiting(tx, sessionId)
    const agreed = isAgreed(turn, rows)
    const taken: Decided[] = []
    for (const row of rows) {
      const offered = toolbox.offered(row.name)
      const isSame = offered !== undefined && isUnchanged(row, offered, now)
      const made = agreed && isSame && row.was_asked === 1 ? toMadeCall(row, offered) : null
      const next =
        made === null
          ? { status: 'declined', deadline_at: null, finished_at: now }
          : {
              status: 'running',
              deadline_at: deadlineOf(made.step.offered, now),
              finished_at: null,
            }
      const isOurs = await takeAwaiting(tx, row.id, next)
      if (isOurs && row.was_asked === 1) taken.push({ row, made })
    }
    return taken
  })
  if (decided.length === 0) return []
  const made = decided.flatMap((one) => one.made ?? [])
  const results = await toolbox.makeCalls(made, signal)
  const byId = new Map(made.map(({ id }, index) => [id, results[index]]))
  return asMessages(
    decided.map(({ row }) => toToolCall(row)),
    decided.map(({ row }) => byId.get(row.id) ?? toolMessage(toToolCall(row), declinedContent)),
  )
}

interface Decided {
  readonly row: AwaitingRow
  readonly made: ReturnType<typeof toMadeCall> | null
}

/** The calls were asked about in one question, so one answer applies to all of them. */
function isAgreed(turn: ToolTurn, rows: readonly AwaitingRow[]): boolean {
  const asked = rows.filter(({ was_asked }) => was_asked === 1)
  if (!turn.endsWithUser || asked.length === 0) return false
  const question = confirmationQuestion(
    asked.map((row) => ({ title: row.title, arguments: argumentsOf(row) })),
  )
  return isConfirmation(turn.lastUserMessage, question)
}

/** True when the source has not changed since the question, and the question is recent. */
function isUnchanged(row: AwaitingRow, offered: OfferedTool, now: number): boolean {
  return (
    row.source_id === offered.sourceId &&
    row.source_updated_at === offered.sourceUpdatedAt &&
    now - row.created_at <= confirmableMs
  )
}

function toMadeCall(row: AwaitingRow, offered: OfferedTool) {
  const step = { kind: 'run', offered } as const
  return { id: row.id, call: toToolCall(row), offered, args: argumentsOf(row), step }
}

function toToolCall({ id, name, arguments_json, provider_json }: AwaitingRow): ToolCall {
  const call = { id: `call_${id.replaceAll('-', '')}`, name, arguments: arguments_json }
  if (provider_json === null) return call
  const providerData: unknown = JSON.parse(provider_json)
  return { ...call, providerData }
}

function argumentsOf({ arguments_json }: AwaitingRow): Arguments {
  // Only this feature writes it, from an object.
  return JSON.parse(arguments_json) as Arguments
}

const declinedContent = JSON.stringify({
  ok: false,
  status: 'declined',
  note: 'Not done: the message of the user did not confirm it. Call again only if they still want it, with what they want now.',
})
