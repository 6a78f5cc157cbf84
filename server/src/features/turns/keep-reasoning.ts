import { declineAwaiting } from '#features/tool-calls/index.ts'
import type { ModelMessage, TextListener } from '#platform/models/model.ts'
import type { Ending } from './metered-model.ts'
import { callsOf } from './prompt.ts'
import type { SessionRequest } from './session-request.ts'
import type { RunningTurn, TurnResult } from './turn.ts'

/** How many characters of an answer's reasoning are stored. */
export const maxStoredReasoning = 16_000

/** Keeps the beginning of the model's reasoning, to be stored with the answer. */
export function keepingReasoning(turn: RunningTurn): TextListener {
  return (texts) => {
    const room = maxStoredReasoning - turn.reasoning.length
    if (room > 0) turn.reasoning += texts.join('').slice(0, room)
    return turn.hearReasoning?.(texts)
  }
}

type Review = NonNullable<SessionRequest['review']>

/**
 * The review of a turn's answer. The reasoning of one that may not be shown is forgotten, too, and the calls
 * whose consent it asks for are declined: nobody reads the question.
 */
export function reviewOf(turn: RunningTurn, review: Review): Review {
  return async (answer) => {
    const replacement = await review(answer)
    if (replacement === null) return null
    turn.reasoning = ''
    await declineAwaiting(turn.ctx, turn.session.id, turn.messageId)
    return replacement
  }
}

/** What is stored of an answer besides its text: the calls of the caller's tools, and where it refuses. */
export function storedCalls(
  { agent }: Pick<SessionRequest, 'agent'>,
  content: string,
  {
    toolCalls,
    steps,
    refusedFrom,
  }: Partial<Pick<TurnResult, 'toolCalls' | 'refusedFrom'>> & Pick<Ending, 'steps'>,
): string | null {
  const refused = typeof refusedFrom === 'number' ? { refusedFrom } : {}
  if (toolCalls === undefined || toolCalls.length === 0)
    return callsOf({ role: 'assistant', content, ...refused })
  const kept = agent.settings.store_reasoning ? steps : steps?.map(withoutThoughts)
  return callsOf({ role: 'assistant', content, toolCalls, steps: kept, ...refused })
}

function withoutThoughts(message: ModelMessage): ModelMessage {
  if (message.role === 'tool' || message.thoughts === undefined) return message
  const { thoughts: _, ...rest } = message
  return rest
}
