import { endOf } from '#features/responses/index.ts'
import type { TurnResult } from '#features/turns/index.ts'
import type { ToolCall } from '#platform/models/model.ts'
import type { FrameWriter } from './completions.ts'
import { ReasoningFrames } from './reasoning-frames.ts'
import { toResponseError } from './response-error.ts'
import {
  answerItem,
  answerItems,
  callItem,
  outputText,
  responseShape,
  type Event,
  type ResponseState,
} from './response-shape.ts'
import { wireId } from './wire-ids.ts'
import { piecesOf } from './write-calls.ts'

/** A response whose end is not known. */
export type Begun = Pick<ResponseState, 'id' | 'createdAt' | 'request' | 'sessionId'>

/** Writes one streamed response as the semantic events of Open Responses, numbered from 0. */
export function responseFrames(begun: Begun, messageId: string, now: () => number): FrameWriter {
  return new ResponseFrames(begun, messageId, now)
}

class ResponseFrames implements FrameWriter {
  readonly #begun: Begun
  readonly #messageId: string
  readonly #now: () => number
  #sequence = 0
  #said = ''
  #thought: ReasoningFrames | null = null
  /** The items of the output that have begun, in their order. */
  readonly #items: ('message' | 'reasoning')[] = []

  constructor(begun: Begun, messageId: string, now: () => number) {
    this.#begun = begun
    this.#messageId = messageId
    this.#now = now
  }

  begin(): string {
    const running = this.#whole({ status: 'in_progress', output: [] })
    return this.#write([
      ['response.created', running],
      ['response.in_progress', running],
    ])
  }

  reasoning(texts: readonly string[]): string {
    if (this.#thought !== null) return this.#write(this.#thought.add(texts))
    this.#thought = new ReasoningFrames(this.#messageId, this.#items.push('reasoning') - 1)
    return this.#write([...this.#thought.begin(), ...this.#thought.add(texts)])
  }

  texts(given: readonly string[]): string {
    const texts = given.filter((text) => text !== '')
    // An answer of calls alone has no message.
    if (texts.length === 0) return ''
    const opening = [...(this.#thought?.pause() ?? []), ...this.#open()]
    this.#said += texts.join('')
    const index = this.#items.indexOf('message')
    return this.#write([
      ...opening,
      ...texts.map((delta) => textDelta(this.#messageId, index, delta)),
    ])
  }

  end(result: TurnResult): string {
    const { part, item, output: ended, ...state } = endedState(this.#messageId, result)
    const completedAt = state.status === 'completed' ? this.#now() : null
    const opening = item === undefined ? [] : this.#open()
    const index = this.#items.indexOf('message')
    const calls = ended.filter((one) => one !== item)
    const output = [...this.#inOrder(item === undefined ? [] : [item]), ...calls]
    const events: Event[] = [
      ...(this.#thought?.end() ?? []),
      ...opening,
      ...(item === undefined ? [] : textEnds(this.#messageId, index, part, item)),
      ...callEvents(this.#messageId, this.#items.length, result.toolCalls),
      [`response.${state.status}`, this.#whole({ ...state, output, completedAt })],
    ]
    return this.#write(events) + done
  }

  failed(error: unknown): string {
    const { code, message } = toResponseError(error).error
    const part = outputText(this.#said, [])
    const index = this.#items.indexOf('message')
    const item = answerItem(this.#messageId, 'incomplete', [part])
    const isOpen = index !== -1
    const output = this.#inOrder(isOpen ? [item] : [])
    const failed = this.#whole({ status: 'failed', error: { code, message }, output })
    const events: Event[] = [
      ...(this.#thought?.end() ?? []),
      ...(isOpen ? textEnds(this.#messageId, index, part, item) : []),
      ['response.failed', failed],
    ]
    return this.#write(events) + done
  }

  #write(events: readonly Event[]): string {
    return events.map(([type, fields]) => frameOf(type, this.#sequence++, fields)).join('')
  }

  #whole(state: Pick<ResponseState, 'status' | 'output'> & Partial<ResponseState>) {
    return { response: responseShape({ ...this.#begun, ...state }) }
  }

  #open(): Event[] {
    if (this.#items.includes('message')) return []
    return textBegins(this.#messageId, this.#items.push('message') - 1)
  }

  /** @param message empty, or the message of the answer */
  #inOrder(message: readonly object[]): object[] {
    const thought = this.#thought === null ? [] : [this.#thought.item]
    return this.#items.flatMap((item) => (item === 'message' ? message : thought))
  }
}

export function frameOf(type: string, sequence: number, fields: object): string {
  const event = { type, sequence_number: sequence, ...fields }
  return `event: ${type}\ndata: ${JSON.stringify(event)}\n\n`
}

function placeOf(messageId: string, output_index: number) {
  return { item_id: wireId('message', messageId), output_index, content_index: 0 }
}

/** The events before the first text of a message. */
export function textBegins(messageId: string, output_index: number): Event[] {
  // Its phase is known when it ends: calls may follow.
  const { phase: _, ...item } = answerItem(messageId, 'in_progress', [])
  const part = outputText('', [])
  return [
    ['response.output_item.added', { output_index, item }],
    ['response.content_part.added', { ...placeOf(messageId, output_index), part }],
  ]
}

export function textDelta(messageId: string, output_index: number, delta: string): Event {
  const fields = { ...placeOf(messageId, output_index), delta, logprobs: [] }
  return ['response.output_text.delta', fields]
}

/** The events after the last text of a message. */
export function textEnds(
  messageId: string,
  output_index: number,
  part: ReturnType<typeof outputText>,
  item: object,
): Event[] {
  const place = placeOf(messageId, output_index)
  const annotations = part.annotations.map((annotation, annotation_index): Event => {
    const fields = { ...place, annotation_index, annotation }
    return ['response.output_text.annotation.added', fields]
  })
  return [
    ['response.output_text.done', { ...place, text: part.text, logprobs: [] }],
    ...annotations,
    ['response.content_part.done', { ...place, part }],
    ['response.output_item.done', { output_index, item }],
  ]
}

/** The events of the caller's calls, which begin when the model has finished them. */
export function callEvents(
  messageId: string,
  firstIndex: number,
  calls: readonly ToolCall[],
): Event[] {
  return calls.flatMap((call, n): Event[] => {
    const item = callItem(messageId, n, call)
    const begun = { ...item, arguments: '', status: 'in_progress' }
    const output_index = firstIndex + n
    const place = { item_id: item.id, output_index }
    const deltas = [...piecesOf(call.arguments)].map((delta): Event => {
      return ['response.function_call_arguments.delta', { ...place, delta }]
    })
    const { arguments: written, name } = call
    return [
      ['response.output_item.added', { output_index, item: begun }],
      ...deltas,
      ['response.function_call_arguments.done', { ...place, name, arguments: written }],
      ['response.output_item.done', { output_index, item }],
    ]
  })
}

export const done = 'data: [DONE]\n\n'

/** How a response ended whose answer the model finished. `item` is its message, if it has a text. */
export function endedState(
  messageId: string,
  { text, citations, usage, finishReason, toolCalls }: TurnResult,
) {
  const { status, reason } = endOf(finishReason)
  const part = outputText(text, citations)
  const ended = status === 'completed' ? 'completed' : 'incomplete'
  const output = answerItems(messageId, ended, { part, calls: toolCalls })
  const item = output.find(({ type }) => type === 'message')
  return { status, incomplete: reason, output, usage, item, part }
}
