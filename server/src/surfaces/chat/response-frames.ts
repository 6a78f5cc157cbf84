import { endOf } from '#features/responses/index.ts'
import type { TurnResult } from '#features/turns/index.ts'
import type { ToolCall } from '#platform/models/model.ts'
import type { FrameWriter } from './completions.ts'
import { toResponseError } from './response-error.ts'
import {
  answerItem,
  answerItems,
  callItem,
  outputText,
  responseShape,
  type ResponseState,
} from './response-shape.ts'
import { wireId } from './wire-ids.ts'
import { piecesOf } from './write-calls.ts'

/** A response whose end is not known. */
export type Begun = Pick<ResponseState, 'id' | 'createdAt' | 'request' | 'sessionId'>

/** Events without their numbers. */
export type Event = readonly [type: string, fields: object]

/** Writes one streamed response as the semantic events of Open Responses, numbered from 0. */
export function responseFrames(begun: Begun, messageId: string, now: () => number): FrameWriter {
  let sequence = 0
  let said = ''
  let hasText = false
  const write = (events: readonly Event[]) =>
    events.map(([type, fields]) => frameOf(type, sequence++, fields)).join('')
  const whole = (state: Pick<ResponseState, 'status' | 'output'> & Partial<ResponseState>) => ({
    response: responseShape({ ...begun, ...state }),
  })
  return {
    begin() {
      const running = whole({ status: 'in_progress', output: [] })
      return write([
        ['response.created', running],
        ['response.in_progress', running],
      ])
    },
    texts(texts) {
      const opening = hasText ? [] : textBegins(messageId, 0)
      hasText = true
      said += texts.join('')
      return write([...opening, ...texts.map((delta) => textDelta(messageId, 0, delta))])
    },
    end(result) {
      const { part, item, ...state } = endedState(messageId, result)
      const completedAt = state.status === 'completed' ? now() : null
      const opening = hasText || item === undefined ? [] : textBegins(messageId, 0)
      return (
        write([
          ...opening,
          ...(item === undefined ? [] : textEnds(messageId, 0, part, item)),
          ...callEvents(messageId, item === undefined ? 0 : 1, result.toolCalls),
          [`response.${state.status}`, whole({ ...state, completedAt })],
        ]) + done
      )
    },
    failed(error) {
      const { code, message } = toResponseError(error).error
      const output =
        said === '' ? [] : [answerItem(messageId, 'incomplete', [outputText(said, [])])]
      const failed = whole({ status: 'failed', error: { code, message }, output })
      return write([['response.failed', failed]]) + done
    },
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
  const item = answerItem(messageId, 'in_progress', [])
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
