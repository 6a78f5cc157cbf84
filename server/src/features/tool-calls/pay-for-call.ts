import { bookUsage, costOfUse } from '#features/credits/index.ts'
import { Fault } from '#kernel/fault.ts'
import type { Tx } from '#platform/db/database.ts'
import { CallFailure, type CallFailureCode } from './call-failure.ts'
import type { CallOutcome } from './call-outcome.ts'
import type { OfferedTool } from './offered-tool.ts'
import type { ToolboxContext, ToolTurn } from './tool-turn.ts'

/**
 * Reserves the cost of a call before it is made, if credits are limited.
 *
 * @returns the cost in micros of a credit
 * @throws CallFailure credits_used_up
 */
export async function holdForCall(
  ctx: ToolboxContext,
  { credits }: ToolTurn,
  { kind }: OfferedTool,
): Promise<number> {
  const priced = kind === 'mcp' ? 'action/mcp' : 'action/http'
  const costMicros = await costOfUse(ctx, priced, { prompt: 0, completion: 0 })
  try {
    if (costMicros > 0) await credits.holdFor(costMicros)
  } catch (cause) {
    if (!(cause instanceof Fault) || cause.kind !== 'limited') throw cause
    const why = 'There are no credits left for this call. It was not made.'
    throw new CallFailure('credits_used_up', why, { cause })
  }
  return costMicros
}

/** A step: books a call, in the unit that records its outcome. */
export async function bookCall(
  tx: Tx,
  now: number,
  turn: ToolTurn,
  call: { readonly id: string; readonly name: string; readonly costMicros: number },
): Promise<void> {
  const { consumer } = turn.credits
  await bookUsage(tx, now, {
    ...consumer,
    kind: 'action',
    sessionId: turn.sessionId,
    messageId: turn.sessionId === null ? null : turn.messageId,
    model: call.name,
    promptTokens: null,
    completionTokens: null,
    costMicros: call.costMicros,
    idempotencyKey: call.id,
  })
  await turn.credits.releaseBooked(tx, call.costMicros)
}

/** Failures that occur before anything is sent. */
const unsent: ReadonlySet<CallFailureCode> = new Set<CallFailureCode>([
  'bad_arguments',
  'variable_missing',
  'secret_not_for_host',
  'address_refused',
  'unreachable',
  'credits_used_up',
])

/** A call costs nothing when its price is zero or when nothing was sent. */
export function costs(costMicros: number, { errorCode }: CallOutcome): boolean {
  const isUnsent = errorCode !== null && unsent.has(errorCode)
  return costMicros > 0 && !isUnsent
}
