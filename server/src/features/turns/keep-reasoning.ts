import type { TextListener } from '#platform/models/model.ts'
import type { SessionRequest } from './session-request.ts'
import type { RunningTurn } from './turn.ts'

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

/** The review of a turn's answer: the reasoning of one that may not be shown is forgotten, too. */
export function withReasoning(turn: RunningTurn, review: Review): Review {
  return async (answer) => {
    const replacement = await review(answer)
    if (replacement !== null) turn.reasoning = ''
    return replacement
  }
}
