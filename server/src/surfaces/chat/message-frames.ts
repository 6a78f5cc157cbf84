import type { Citation } from '#features/turns/index.ts'
import {
  answerItem,
  outputText,
  refusalPart,
  type ContentPart,
  type Event,
  type ItemStatus,
} from './responses/response-shape.ts'
import { wireId } from './responses/wire-ids.ts'

/** The events of the message of one answer. Its content is a text, a refusal, or a text before a refusal. */
export class MessageFrames {
  readonly #messageId: string
  readonly #index: number
  #said = ''
  #refusal: string | null = null
  /** How many parts have begun. */
  #begun = 0

  /** @param index of the item in the output */
  constructor(messageId: string, index: number) {
    this.#messageId = messageId
    this.#index = index
  }

  /** What has been written so far. */
  content(citations: readonly Citation[] = []): ContentPart[] {
    const refusal = this.#refusal === null ? [] : [refusalPart(this.#refusal)]
    const isText = this.#said !== '' || refusal.length === 0
    return [...(isText ? [outputText(this.#said, citations)] : []), ...refusal]
  }

  item(status: ItemStatus) {
    return answerItem(this.#messageId, status, this.content())
  }

  begin(): Event[] {
    // Its phase is known when it ends: calls may follow.
    const { phase: _, ...item } = answerItem(this.#messageId, 'in_progress', [])
    return [['response.output_item.added', { output_index: this.#index, item }]]
  }

  text(texts: readonly string[]): Event[] {
    const opening = this.#said === '' ? this.#open(0, outputText('', [])) : []
    this.#said += texts.join('')
    const deltas = texts.map((delta): Event => {
      return ['response.output_text.delta', { ...this.#place(0), delta, logprobs: [] }]
    })
    return [...opening, ...deltas]
  }

  refuse(texts: readonly string[]): Event[] {
    const at = this.#said === '' ? 0 : 1
    const opening = this.#refusal === null ? this.#open(at, refusalPart('')) : []
    this.#refusal = (this.#refusal ?? '') + texts.join('')
    const deltas = texts.map((delta): Event => {
      return ['response.refusal.delta', { ...this.#place(at), delta }]
    })
    return [...opening, ...deltas]
  }

  /** @param item the message as it ended, which has this content */
  end(content: readonly ContentPart[], item: object): Event[] {
    const parts = content.flatMap((part, n) => {
      const empty = part.type === 'refusal' ? refusalPart('') : outputText('', [])
      return [...this.#open(n, empty), ...this.#endPart(part, n)]
    })
    return [...parts, ['response.output_item.done', { output_index: this.#index, item }]]
  }

  /** Ends a message that was cut short. */
  cut(): Event[] {
    return this.end(this.content(), this.item('incomplete'))
  }

  #open(n: number, part: ContentPart): Event[] {
    if (n < this.#begun) return []
    this.#begun = n + 1
    return [['response.content_part.added', { ...this.#place(n), part }]]
  }

  #endPart(part: ContentPart, n: number): Event[] {
    const place = this.#place(n)
    const done: Event = ['response.content_part.done', { ...place, part }]
    if (part.type === 'refusal')
      return [['response.refusal.done', { ...place, refusal: part.refusal }], done]
    const annotations = part.annotations.map((annotation, annotation_index): Event => {
      const fields = { ...place, annotation_index, annotation }
      return ['response.output_text.annotation.added', fields]
    })
    const text: Event = ['response.output_text.done', { ...place, text: part.text, logprobs: [] }]
    return [text, ...annotations, done]
  }

  #place(content_index: number) {
    const item_id = wireId('message', this.#messageId)
    return { item_id, output_index: this.#index, content_index }
  }
}
