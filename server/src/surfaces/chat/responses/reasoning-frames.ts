import { reasoningItem, summaryText, type Event } from './response-shape.ts'
import { wireId } from './wire-ids.ts'

/**
 * The events of the reasoning of one answer. Clients show the summary of a reasoning item, and no other
 * part of it. Each time the model thinks before it goes on to write is a part of its own.
 */
export class ReasoningFrames {
  readonly #messageId: string
  readonly #index: number
  readonly #parts: string[] = []
  #isOpen = false

  /** @param index of the item in the output */
  constructor(messageId: string, index: number) {
    this.#messageId = messageId
    this.#index = index
  }

  get item() {
    return reasoningItem(this.#messageId, this.#parts)
  }

  begin(): Event[] {
    const output_index = this.#index
    return [['response.output_item.added', { output_index, item: this.item }]]
  }

  add(texts: readonly string[]): Event[] {
    const opening = this.#isOpen ? [] : this.#open()
    const last = this.#parts.length - 1
    this.#parts[last] += texts.join('')
    const deltas = texts.map((delta): Event => [
      'response.reasoning_summary_text.delta',
      { ...this.#place(), delta },
    ])
    return [...opening, ...deltas]
  }

  /** Ends the part, because the model writes. */
  pause(): Event[] {
    if (!this.#isOpen) return []
    this.#isOpen = false
    const place = this.#place()
    const text = this.#parts.at(-1) ?? ''
    return [
      ['response.reasoning_summary_text.done', { ...place, text }],
      ['response.reasoning_summary_part.done', { ...place, part: summaryText(text) }],
    ]
  }

  /** The model may think again until its answer ends. */
  end(): Event[] {
    const output_index = this.#index
    return [...this.pause(), ['response.output_item.done', { output_index, item: this.item }]]
  }

  #open(): Event[] {
    this.#isOpen = true
    this.#parts.push('')
    return [['response.reasoning_summary_part.added', { ...this.#place(), part: summaryText('') }]]
  }

  #place() {
    return {
      item_id: wireId('reasoning', this.#messageId),
      output_index: this.#index,
      summary_index: this.#parts.length - 1,
    }
  }
}
