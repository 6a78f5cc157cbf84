import type { CallPiece, ToolCall } from '#platform/models/model.ts'
import { callItem, type Event, type ItemStatus } from './response-shape.ts'
import { restOfCalls } from './write-calls.ts'

/** The events of the calls of the caller's tools in one answer. */
export class CallFrames {
  readonly #messageId: string
  /** Begins the `n`th call. @returns the index of its item in the output */
  readonly #beginItem: (n: number) => number
  readonly #begun: { readonly call: ToolCall; readonly index: number }[] = []

  constructor(messageId: string, beginItem: (n: number) => number) {
    this.#messageId = messageId
    this.#beginItem = beginItem
  }

  add(pieces: readonly CallPiece[]): Event[] {
    return pieces.flatMap(({ n, id, name, arguments: delta }): Event[] => {
      const known = this.#begun[n]
      const index = known?.index ?? this.#beginItem(n)
      this.#begun[n] = {
        index,
        call: { id, name, arguments: (known?.call.arguments ?? '') + delta },
      }
      const begun = callItem(this.#messageId, n, { id, name, arguments: '' }, 'in_progress')
      const opening: Event[] =
        known === undefined
          ? [['response.output_item.added', { output_index: index, item: begun }]]
          : []
      if (delta === '') return opening
      const fields = { item_id: begun.id, output_index: index, delta }
      return [...opening, ['response.function_call_arguments.delta', fields]]
    })
  }

  /** Writes what the model had not streamed, and ends the calls. */
  end(calls: readonly ToolCall[]): Event[] {
    const written = this.#begun.map(({ call }) => call.arguments.length)
    const rest = this.add(restOfCalls(calls, written))
    return [...rest, ...calls.flatMap((call, n) => this.#endCall(n, call, 'completed'))]
  }

  /** Ends the calls of an answer that failed: nobody may make them. */
  cut(): Event[] {
    return this.#begun.flatMap(({ call }, n) => this.#endCall(n, call, 'incomplete'))
  }

  #endCall(n: number, call: ToolCall, status: ItemStatus): Event[] {
    const item = callItem(this.#messageId, n, call, status)
    const { name, arguments: written } = item
    const output_index = this.#begun[n]?.index
    const place = { item_id: item.id, output_index }
    return [
      ['response.function_call_arguments.done', { ...place, name, arguments: written }],
      ['response.output_item.done', { output_index, item }],
    ]
  }
}
