import type { TextListener } from '#platform/models/model.ts'
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
