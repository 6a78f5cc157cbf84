import type { LanguageModelV4StreamPart } from '@ai-sdk/provider'

/** Counts the characters of a streamed answer: its text, its reasoning and its calls. */
export class AnswerLength {
  #length = 0
  /** By the id of the call: its arguments come in pieces and, when they are complete, as a whole. */
  readonly #streamed = new Map<string, number>()

  /** @returns the characters so far */
  add(part: LanguageModelV4StreamPart): number {
    if (part.type === 'text-delta' || part.type === 'reasoning-delta')
      this.#length += part.delta.length
    else if (part.type === 'tool-input-delta') {
      this.#length += part.delta.length
      this.#streamed.set(part.id, (this.#streamed.get(part.id) ?? 0) + part.delta.length)
    } else if (part.type === 'tool-call')
      this.#length += Math.max(0, part.input.length - (this.#streamed.get(part.toolCallId) ?? 0))
    return this.#length
  }
}
