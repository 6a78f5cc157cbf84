import type { CallPiece, ToolCall } from '#platform/models/model.ts'
import { callItem, type Event, type ItemStatus } from './responses/response-shape.ts'
import { callItemId } from './responses/wire-ids.ts'
import { restOfCalls } from './write-calls.ts'

/**
 * The events of the calls of the caller's tools in one answer. A call ends before the next one begins: some
 * clients know one call at a time.
 */
export class CallFrames {
  readonly #messageId: string
  /** Begins the `n`th call. @returns the index of its item in the output */
  readonly #beginItem: (n: number) => number
  readonly #begun: { readonly call: ToolCall; readonly index: number }[] = []
  /** How many calls have ended, which are the first ones. */
  #ended = 0

  constructor(messageId: string, beginItem: (n: number) => number) {
    this.#messageId = messageId
    this.#beginItem = beginItem
  }

  add(pieces: readonly CallPiece[]): Event[] {
    // A model that went on with an earlier call would be late; the whole response has what it wrote.
    const timely = pieces.filter(({ n }) => n >= this.#ended)
    return timely.flatMap((piece) => {
      const { n, arguments: delta } = piece
      const opening = this.#begun[n] === undefined ? this.#begin(piece) : []
      const begun = this.#begun[n]
      if (begun === undefined || delta === '') return opening
      const { call, index } = begun
      this.#begun[n] = { index, call: { ...call, arguments: call.arguments + delta } }
      const fields = { item_id: callItemId(this.#messageId, n), output_index: index, delta }
      return [...opening, ['response.function_call_arguments.delta', fields]]
    })
  }

  /** Writes what the model had not streamed, and ends the calls. */
  end(calls: readonly ToolCall[]): Event[] {
    const written = this.#begun.map(({ call }) => call.arguments.length)
    return [...this.add(restOfCalls(calls, written)), ...this.#endUntil(calls.length, 'completed')]
  }

  /** Ends the calls of an answer that failed: nobody may make them. */
  cut(): Event[] {
    return this.#endUntil(this.#begun.length, 'incomplete')
  }

  #begin({ n, id, name }: CallPiece): Event[] {
    const before = this.#endUntil(n, 'completed')
    const call = { id, name, arguments: '' }
    const index = this.#beginItem(n)
    this.#begun[n] = { index, call }
    const item = callItem(this.#messageId, n, call, 'in_progress')
    return [...before, ['response.output_item.added', { output_index: index, item }]]
  }

  #endUntil(n: number, status: ItemStatus): Event[] {
    const from = this.#ended
    this.#ended = Math.max(from, n)
    return this.#begun.slice(from, n).flatMap(({ call, index }, at): Event[] => {
      const item = callItem(this.#messageId, from + at, call, status)
      const { name, arguments: written } = item
      const place = { item_id: item.id, output_index: index }
      return [
        ['response.function_call_arguments.done', { ...place, name, arguments: written }],
        ['response.output_item.done', { output_index: index, item }],
      ]
    })
  }
}
