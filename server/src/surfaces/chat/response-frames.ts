import { endOf } from '#features/responses/index.ts'
import type { TurnResult } from '#features/turns/index.ts'
import type { FrameWriter } from './completions.ts'
import { toResponseError } from './response-error.ts'
import { answerItem, outputText, responseShape, type ResponseState } from './response-shape.ts'
import { wireId } from './wire-ids.ts'

/** A response whose end is not known. */
export type Begun = Pick<ResponseState, 'id' | 'createdAt' | 'request' | 'sessionId'>

/** Writes one streamed response as the semantic events of Open Responses, numbered from 0. */
export function responseFrames(begun: Begun, messageId: string, now: () => number): FrameWriter {
  let sequence = 0
  let said = ''
  const frame = (type: string, fields: object) =>
    frameOf({ type, sequence_number: sequence++, ...fields })
  const place = placeOf(messageId)
  const whole = (state: Pick<ResponseState, 'status' | 'output'> & Partial<ResponseState>) => ({
    response: responseShape({ ...begun, ...state }),
  })
  return {
    begin() {
      const running = whole({ status: 'in_progress', output: [] })
      const item = answerItem(messageId, 'in_progress', [])
      return (
        frame('response.created', running) +
        frame('response.in_progress', running) +
        frame('response.output_item.added', { output_index: 0, item }) +
        frame('response.content_part.added', { ...place, part: outputText('', []) })
      )
    },
    texts(texts) {
      said += texts.join('')
      const deltas = texts.map((delta) => ({ ...place, delta, logprobs: [] }))
      return deltas.map((delta) => frame('response.output_text.delta', delta)).join('')
    },
    end(result) {
      const { item, part, ...state } = endedState(messageId, result)
      const completedAt = state.status === 'completed' ? now() : null
      const ends = endEvents(place, item, part).map(([type, fields]) => frame(type, fields))
      const last = frame(`response.${state.status}`, whole({ ...state, completedAt }))
      return ends.join('') + last + done
    },
    failed(error) {
      const { code, message } = toResponseError(error).error
      const output =
        said === '' ? [] : [answerItem(messageId, 'incomplete', [outputText(said, [])])]
      const failed = whole({ status: 'failed', error: { code, message }, output })
      return frame('response.failed', failed) + done
    },
  }
}

function frameOf(event: { readonly type: string; readonly sequence_number: number }): string {
  return `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`
}

function placeOf(messageId: string) {
  return { item_id: wireId('message', messageId), output_index: 0, content_index: 0 }
}

/** The events after the last text, before that of the response itself. */
function endEvents(
  place: ReturnType<typeof placeOf>,
  item: object,
  part: ReturnType<typeof outputText>,
): (readonly [string, object])[] {
  const annotations = part.annotations.map(
    (annotation, annotation_index) =>
      [
        'response.output_text.annotation.added',
        { ...place, annotation_index, annotation },
      ] as const,
  )
  return [
    ['response.output_text.done', { ...place, text: part.text, logprobs: [] }],
    ...annotations,
    ['response.content_part.done', { ...place, part }],
    ['response.output_item.done', { output_index: 0, item }],
  ]
}

const done = 'data: [DONE]\n\n'

/** How a response ended whose answer the model finished. */
export function endedState(
  messageId: string,
  { text, citations, usage, finishReason }: TurnResult,
) {
  const { status, reason } = endOf(finishReason)
  const part = outputText(text, citations)
  const item = answerItem(messageId, status === 'completed' ? 'completed' : 'incomplete', [part])
  return { status, incomplete: reason, output: [item], usage, item, part }
}
